-- source: DBeaver, manager of sessions; retold
-- row: * | tessera
SELECT sa.pid, sa.usename FROM pg_catalog.pg_stat_activity sa
