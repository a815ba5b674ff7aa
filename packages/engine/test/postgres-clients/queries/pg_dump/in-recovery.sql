-- source: pg_dump 15
-- row: f
SELECT pg_catalog.pg_is_in_recovery()
