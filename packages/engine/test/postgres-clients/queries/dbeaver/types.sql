-- source: DBeaver, types; retold
-- row: name | 19 | 19 | name | 11 | 10 | 64 | f | b | S | f | t | , | 0 | 0 | 18 | 1003 | 34 | 35 | 2422 | 2423 | 0 | 0 | 0 | c | p | f | 0 | -1 | 0 | 950 | NULL | NULL | NULL | NULL | NULL | NULL
-- row: int2vector | 22 | 22 | int2vector | 11 | 10 | -1 | f | b | A | f | t | , | 0 | 0 | 21 | 1006 | 40 | 41 | 2410 | 2411 | 0 | 0 | 0 | i | p | f | 0 | -1 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL
-- row: oidvector | 30 | 30 | oidvector | 11 | 10 | -1 | f | b | A | f | t | , | 0 | 0 | 26 | 1013 | 54 | 55 | 2420 | 2421 | 0 | 0 | 0 | i | p | f | 0 | -1 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL
SELECT t.typname, t.oid, t.*, c.relkind, format_type(nullif(t.typbasetype, 0), t.typtypmod) AS base_type_name, d.description
FROM pg_catalog.pg_type t
  LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid = t.typelem
  LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
  LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid = d.objoid
WHERE t.typname IS NOT NULL AND (c.relkind IS NULL OR c.relkind = 'c') AND (et.typcategory IS NULL OR et.typcategory <> 'C')
