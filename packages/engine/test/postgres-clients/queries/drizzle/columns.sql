-- source: drizzle-kit, pull: columns of a table; retold
-- row: id | t | integer |  |  | plain | NULL
-- row: name | f | text |  |  | plain | 'x'
SELECT a.attname AS column_name, a.attnotnull, format_type(a.atttypid, a.atttypmod) AS data_type, a.attidentity AS identity_type, a.attgenerated AS generated_type,
  CASE WHEN a.atttypid = ANY ('{int,int8,int2}'::regtype[]) AND EXISTS (
      SELECT FROM pg_attrdef ad WHERE ad.adrelid = a.attrelid AND ad.adnum = a.attnum
        AND pg_get_expr(ad.adbin, ad.adrelid) = 'nextval(''' || pg_get_serial_sequence(a.attrelid::regclass::text, a.attname)::regclass || '''::regclass)')
    THEN 'serial' ELSE 'plain' END AS kind,
  pg_get_expr(ad.adbin, ad.adrelid) AS column_default
FROM pg_attribute a LEFT JOIN pg_attrdef ad ON ad.adrelid = a.attrelid AND ad.adnum = a.attnum
WHERE a.attrelid = '"public"."t"'::regclass AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
