-- source: DBeaver, tree of schemas; retold
-- row: * | * | other | * | NULL | NULL
-- row: 2200 | 2200 | public | * | {tessera=UC/tessera,=U/tessera} | NULL
SELECT n.oid, n.*, d.description FROM pg_catalog.pg_namespace n
  LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass
ORDER BY nspname
