-- source: psql 15, tab completion
-- row: array_contains | NULL
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE (p.proname) LIKE 'ar%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'ar%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
