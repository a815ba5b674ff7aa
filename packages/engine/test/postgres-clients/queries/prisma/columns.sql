-- source: Prisma, columns of the tables of a schema; retold
-- row: public | t | id | integer | 32 | 0 | 2 | NULL | integer | pg_catalog | int4 | * | * | * | NULL | *
SELECT cls.namespace, info.table_name, info.column_name, format_type(att.atttypid, att.atttypmod) AS formatted_type,
  info.numeric_precision, info.numeric_scale, info.numeric_precision_radix, info.datetime_precision, info.data_type,
  info.udt_schema AS type_schema_name, info.udt_name AS full_data_type,
  pg_get_expr(attdef.adbin, attdef.adrelid) AS column_default, info.is_nullable, info.is_identity,
  info.character_maximum_length, col_description(att.attrelid, ordinal_position) AS description
FROM information_schema.columns info
  JOIN pg_attribute att ON att.attname = info.column_name
  JOIN (
    SELECT pg_class.oid, relname, pg_namespace.nspname AS namespace
    FROM pg_class
      JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace AND pg_namespace.nspname = ANY ('{public}')
    WHERE reltype > 0
  ) AS cls ON cls.oid = att.attrelid AND relname = info.table_name AND namespace = info.table_schema
  LEFT JOIN pg_attrdef attdef
    ON attdef.adrelid = att.attrelid AND attdef.adnum = att.attnum AND table_schema = namespace
WHERE table_schema = ANY ('{public}')
ORDER BY namespace, table_name, ordinal_position
