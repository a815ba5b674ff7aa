-- source: DBeaver, tables of a schema; retold
-- row: seen | * | * | seen | 2200 | * | 0 | * | 0 | 0 | 0 | 0 | 0 | 0 | 0 | f | f | p | v | 2 | 0 | t | f | f | f | f | t | d | f | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL
-- row: t | * | * | t | 2200 | * | 0 | * | 2 | * | 0 | 0 | 0 | 0 | 0 | t | f | p | r | 5 | 0 | f | f | f | f | f | t | d | f | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL
SELECT c.relname, c.oid, c.*, d.description, pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS partition_expr,
  pg_catalog.pg_get_partkeydef(c.oid) AS partition_key
FROM pg_catalog.pg_class c
  LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
WHERE c.relnamespace = {oid:public} AND c.relkind NOT IN ('i', 'I', 'c')
