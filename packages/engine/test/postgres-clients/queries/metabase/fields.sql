-- source: Metabase, fields of tables; retold
-- row: k | int4 | 0 | other | filled | f | NULL | t
-- row: v | text | 1 | other | filled | f | NULL | f
-- row: k | int4 | 0 | public | seen | f | NULL | t
SELECT c.column_name AS "name", c.udt_name AS "database-type", c.ordinal_position - 1 AS "position", c.table_schema, c.table_name,
  pk.column_name IS NOT NULL AS "pk?", col_description(CAST(CAST(format('%I.%I', CAST(c.table_schema AS text), CAST(c.table_name AS text)) AS regclass) AS oid), c.ordinal_position) AS "field-comment",
  (column_default IS NULL OR lower(column_default) = 'null') AND is_nullable = 'NO' AS "database-required"
FROM information_schema.columns c
  LEFT JOIN (
    SELECT tc.table_schema, tc.table_name, kc.column_name FROM information_schema.table_constraints tc
      INNER JOIN information_schema.key_column_usage kc ON tc.constraint_name = kc.constraint_name AND tc.table_name = kc.table_name
    WHERE tc.constraint_type = 'PRIMARY KEY'
  ) pk ON c.table_schema = pk.table_schema AND c.table_name = pk.table_name AND c.column_name = pk.column_name
WHERE c.table_schema !~ '^information_schema|catalog_history|pg_' ORDER BY c.table_schema, c.table_name, c.ordinal_position
