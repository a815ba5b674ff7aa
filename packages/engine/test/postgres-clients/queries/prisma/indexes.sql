-- source: Prisma, indexes; retold
-- row: public | t_primary_index | t | id | * | * | 0 | * | * | t | *
WITH rawindex AS (SELECT indrelid, indexrelid, indisunique, indisprimary, unnest(indkey) AS indkeyid, generate_subscripts(indkey, 1) AS indkeyidx, unnest(indclass) AS indclass, unnest(indoption) AS indoption
  FROM pg_index WHERE indpred IS NULL AND NOT indisexclusion)
SELECT schemainfo.nspname AS namespace, indexinfo.relname AS index_name, tableinfo.relname AS table_name, columninfo.attname AS column_name, rawindex.indisunique AS is_unique, rawindex.indisprimary AS is_primary_key,
  rawindex.indkeyidx AS column_index, opclass.opcname AS opclass, opclass.opcdefault AS opcdefault, indexaccess.amname IS NOT NULL AS known,
  CASE rawindex.indoption & 1 WHEN 1 THEN 'DESC' ELSE 'ASC' END AS column_order
FROM rawindex INNER JOIN pg_class AS tableinfo ON tableinfo.oid = rawindex.indrelid INNER JOIN pg_class AS indexinfo ON indexinfo.oid = rawindex.indexrelid
  INNER JOIN pg_namespace AS schemainfo ON schemainfo.oid = tableinfo.relnamespace
  LEFT JOIN pg_attribute AS columninfo ON columninfo.attrelid = tableinfo.oid AND columninfo.attnum = rawindex.indkeyid
  INNER JOIN pg_am AS indexaccess ON indexaccess.oid = indexinfo.relam LEFT JOIN pg_opclass AS opclass ON opclass.oid = rawindex.indclass
WHERE schemainfo.nspname = ANY ( ARRAY['public'] ) AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = rawindex.indexrelid) ORDER BY namespace, table_name, index_name, column_index
