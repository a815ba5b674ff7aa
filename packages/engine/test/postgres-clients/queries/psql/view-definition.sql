-- source: psql 15, \d+ seen
-- row: SELECT k, v FROM other.filled;
SELECT pg_catalog.pg_get_viewdef('{oid:seen}'::pg_catalog.oid, true)
