-- source: pgjdbc 42.5, DatabaseMetaData and its type cache
-- row: * | 1 | id | t | public | t | NULL
-- row: * | 3 | amount | t | public | f | NULL
-- row: * | 4 | at | t | public | f | NULL
SELECT c.oid, a.attnum, a.attname, c.relname, n.nspname, a.attnotnull OR (t.typtype = 'd' AND t.typnotnull), a.attidentity != '' OR pg_catalog.pg_get_expr(d.adbin, d.adrelid) LIKE '%nextval(%' FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON (c.relnamespace = n.oid) JOIN pg_catalog.pg_attribute a ON (c.oid = a.attrelid) JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid) LEFT JOIN pg_catalog.pg_attrdef d ON (d.adrelid = a.attrelid AND d.adnum = a.attnum) JOIN (SELECT {oid:t} AS oid , 1 AS attnum UNION ALL SELECT {oid:t}, 2 UNION ALL SELECT {oid:t}, 3 UNION ALL SELECT {oid:t}, 4) vals ON (c.oid = vals.oid AND a.attnum = vals.attnum)
