-- source: pgjdbc 42.5, DatabaseMetaData and its type cache
-- row: 64
SELECT t.typlen FROM pg_catalog.pg_type t, pg_catalog.pg_namespace n WHERE t.typnamespace=n.oid AND t.typname='name' AND n.nspname='pg_catalog'
