-- source: pgjdbc 42.5, DatabaseMetaData and its type cache
-- row: 32
SELECT setting FROM pg_catalog.pg_settings WHERE name='max_index_keys'
