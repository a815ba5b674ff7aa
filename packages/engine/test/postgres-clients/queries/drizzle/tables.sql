-- source: drizzle-kit, pull: tables; retold
-- row: other | filled | table | f
-- row: public | seen | view | f
-- row: public | t | table | f
SELECT n.nspname AS table_schema, c.relname AS table_name,
  CASE WHEN c.relkind = 'r' THEN 'table' WHEN c.relkind = 'v' THEN 'view' WHEN c.relkind = 'm' THEN 'materialized_view' END AS type,
  c.relrowsecurity AS rls_enabled
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid::text = c.relnamespace::text
WHERE c.relkind IN ('r', 'v', 'm') AND n.nspname IN ('public', 'other')
