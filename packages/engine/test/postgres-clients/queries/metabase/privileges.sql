-- source: Metabase, what the user may do with tables; retold
-- row: other | filled | t | t
-- row: public | seen | t | t
-- row: public | t | t | t
WITH table_privileges AS (
  SELECT t.schemaname AS "schema", t.objectname AS "table",
    pg_catalog.has_any_column_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"."' || replace(t.objectname, '"', '""') || '"', 'select') AS "select",
    pg_catalog.has_table_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"."' || replace(t.objectname, '"', '""') || '"', 'delete') AS "delete"
  FROM (
    SELECT schemaname, tablename AS objectname FROM pg_catalog.pg_tables
    UNION SELECT schemaname, viewname FROM pg_catalog.pg_views
    UNION SELECT schemaname, matviewname FROM pg_catalog.pg_matviews
  ) t
  WHERE t.schemaname !~ '^pg_' AND t.schemaname <> 'information_schema'
    AND pg_catalog.has_schema_privilege(current_user, t.schemaname, 'usage')
)
SELECT t.* FROM table_privileges t ORDER BY 1, 2
