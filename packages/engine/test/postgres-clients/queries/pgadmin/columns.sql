-- source: pgAdmin, columns of a table; retold
-- row: id | 1 | integer | integer | t | f | NULL | NULL | NULL | f
-- row: amount | 3 | numeric | numeric(10,2) | f | f | NULL | NULL | NULL | f
-- row: tags | 5 | text[] | text[] | f | f | NULL | NULL | NULL | f
SELECT DISTINCT ON (att.attnum) att.attname as name, att.attnum, pg_catalog.format_type(ty.oid,NULL) AS typname, pg_catalog.format_type(ty.oid,att.atttypmod) AS displaytypname,
  att.attnotnull as attnotnull, CASE WHEN att.attnum = ANY(con.conkey) THEN true ELSE false END AS is_pk, coln.nspname AS collspcname, seq.seqrelid, des.description,
  EXISTS(SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid=att.attrelid AND contype='f' AND att.attnum=ANY(conkey)) As is_fk
FROM pg_catalog.pg_attribute att JOIN pg_catalog.pg_type ty ON ty.oid=atttypid
  LEFT OUTER JOIN pg_catalog.pg_attrdef def ON adrelid=att.attrelid AND adnum=att.attnum
  LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=att.attrelid AND des.objsubid=att.attnum AND des.classoid='pg_class'::regclass)
  LEFT OUTER JOIN (pg_catalog.pg_depend JOIN pg_catalog.pg_class cs ON classid='pg_class'::regclass AND objid=cs.oid AND cs.relkind='S') ON refobjid=att.attrelid AND refobjsubid=att.attnum
  LEFT OUTER JOIN pg_catalog.pg_namespace ns ON ns.oid=cs.relnamespace LEFT OUTER JOIN pg_catalog.pg_constraint con ON con.conrelid=att.attrelid AND con.contype='p'
  LEFT OUTER JOIN pg_catalog.pg_collation coll ON att.attcollation=coll.oid AND coll.collname <> 'default' LEFT OUTER JOIN pg_catalog.pg_namespace coln ON coll.collnamespace=coln.oid
  LEFT OUTER JOIN pg_catalog.pg_sequence seq ON cs.oid=seq.seqrelid
WHERE att.attrelid = {oid:t}::oid AND att.attnum > 0 AND att.attisdropped IS FALSE ORDER BY att.attnum
