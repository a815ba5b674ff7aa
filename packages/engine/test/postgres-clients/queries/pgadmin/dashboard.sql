-- source: pgAdmin, figures of the dashboard; retold
-- row: tps_stats | *
SELECT 'session_stats' AS chart_name, pg_catalog.row_to_json(t) AS chart_data FROM (SELECT
  (SELECT count(*) FROM pg_catalog.pg_stat_activity) AS "Total",
  (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE state = 'active') AS "Active",
  (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE state = 'idle') AS "Idle") t
UNION ALL SELECT 'tps_stats' AS chart_name, pg_catalog.row_to_json(t) AS chart_data FROM (SELECT
  (SELECT sum(xact_commit) + sum(xact_rollback) FROM pg_catalog.pg_stat_database) AS "Transactions",
  (SELECT sum(xact_commit) FROM pg_catalog.pg_stat_database) AS "Commits") t
