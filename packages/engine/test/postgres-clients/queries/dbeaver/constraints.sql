-- source: DBeaver, constraints of a schema; retold
-- rows: 0
SELECT c.oid, c.*, t.relname as tabrelname, rt.relnamespace as refnamespace, d.description, null as consrc_copy,
  case when c.contype = 'c' then "substring"(pg_get_constraintdef(c.oid), 7) else null end consrc
FROM pg_catalog.pg_constraint c INNER JOIN pg_catalog.pg_class t ON t.oid=c.conrelid LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid=c.confrelid
  LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_constraint'::regclass
WHERE t.relnamespace={oid:public} ORDER BY c.oid
