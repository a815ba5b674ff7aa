-- source: pgjdbc 42.5, DatabaseMetaData and its type cache
-- row: pg_catalog | array_cat | 2283 |  | p | 0 | NULL | NULL | NULL | *
SELECT n.nspname,p.proname,p.prorettype,p.proargtypes, t.typtype,t.typrelid,  p.proargnames, p.proargmodes, p.proallargtypes, p.oid  FROM pg_catalog.pg_proc p, pg_catalog.pg_namespace n, pg_catalog.pg_type t  WHERE p.pronamespace=n.oid AND p.prorettype=t.oid  AND n.nspname LIKE 'pg_catalog' AND p.proname LIKE 'array_cat%' ORDER BY n.nspname, p.proname, p.oid::text
