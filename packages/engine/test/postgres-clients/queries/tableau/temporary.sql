-- source: Tableau, whether temporary tables hide others; retold
-- rows: 0
SELECT n.nspname, c.relname FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n WHERE c.relkind IN ('r', 'v') AND n.nspname LIKE 'pg_temp_%' AND c.relnamespace = n.oid
