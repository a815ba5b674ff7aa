-- source: psql 15, tab completion
-- row: id | NULL
SELECT a.attname, NULL::pg_catalog.text FROM pg_catalog.pg_attribute a, pg_catalog.pg_class c WHERE c.oid = a.attrelid and a.attnum > 0 and not a.attisdropped AND (a.attname) LIKE '%' AND c.relname = 't' AND pg_catalog.pg_table_is_visible(c.oid)
LIMIT 1000
