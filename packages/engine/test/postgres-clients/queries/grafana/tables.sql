-- source: Grafana, tables of the query editor; retold
-- row: other.filled
-- row: seen
-- row: t
SELECT
  CASE WHEN quote_ident(table_schema) IN (
      SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
      FROM generate_series(
          array_lower(string_to_array(current_setting('search_path'), ','), 1),
          array_upper(string_to_array(current_setting('search_path'), ','), 1)) AS i,
        string_to_array(current_setting('search_path'), ',') s)
    THEN quote_ident(table_name)
    ELSE quote_ident(table_schema) || '.' || quote_ident(table_name) END AS "table"
FROM information_schema.tables
WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog', '_timescaledb_config')
ORDER BY 1
