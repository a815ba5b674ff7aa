-- source: Rails ActiveRecord, columns of a table; retold
-- row: id | integer | NULL | t | 23 | -1 | * | NULL |  | 
-- row: name | text | 'x' | f | 25 | -1 | * | NULL |  | 
SELECT a.attname, format_type(a.atttypid, a.atttypmod), pg_get_expr(d.adbin, d.adrelid), a.attnotnull, a.atttypid, a.atttypmod, c.collname, col_description(a.attrelid, a.attnum) AS comment,
  attidentity AS identity, attgenerated as attgenerated
FROM pg_attribute a LEFT JOIN pg_attrdef d ON a.attrelid = d.adrelid AND a.attnum = d.adnum LEFT JOIN pg_type t ON a.atttypid = t.oid
  LEFT JOIN pg_collation c ON a.attcollation = c.oid AND a.attcollation <> t.typcollation
WHERE a.attrelid = '"t"'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
