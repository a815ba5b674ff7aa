-- source: pgjdbc 42.5, DatabaseMetaData and its type cache
-- row: public | t | tessera | NULL
SELECT n.nspname,c.relname,r.rolname,c.relacl  FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c, pg_catalog.pg_roles r  WHERE c.relnamespace = n.oid  AND c.relowner = r.oid  AND c.relkind IN ('r','p','v','m','f')  AND n.nspname LIKE 'public' AND c.relname LIKE 't' ORDER BY nspname, relname
