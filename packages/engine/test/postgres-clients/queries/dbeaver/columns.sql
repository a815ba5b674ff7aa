-- source: DBeaver, columns of a table; retold
-- row: t | id | 23 | NULL | NULL | NULL
-- row: t | name | 25 | 'x' | NULL | NULL
-- row: t | amount | 1700 | NULL | NULL | NULL
SELECT c.relname, a.attname, a.atttypid, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) AS def_value, dsc.description, dep.objid
FROM pg_catalog.pg_attribute a
  INNER JOIN pg_catalog.pg_class c ON (a.attrelid = c.oid)
  LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid = ad.adrelid AND a.attnum = ad.adnum)
  LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid)
  LEFT OUTER JOIN pg_depend dep ON dep.refobjid = a.attrelid AND dep.deptype = 'i' AND dep.refobjsubid = a.attnum AND dep.classid = dep.refclassid
WHERE NOT a.attisdropped AND c.oid = {oid:t}
ORDER BY a.attnum
