-- source: DataGrip, names of columns; retold
-- row: 2200 | * | r | 1 | id
-- row: 2200 | * | v | 2 | v
with T as (select T.oid as oid, T.relkind as kind, T.relnamespace as schemaId from pg_catalog.pg_class T where T.relnamespace in ( {oid:public} ) and T.relkind in ('r', 'm', 'v', 'f', 'p'))
select T.schemaId as schemaId, T.oid as majorOid, pg_catalog.translate(T.kind, 'rmvpf', 'rmvrf') as kind, C.attnum as position, C.attname as name
from T join pg_catalog.pg_attribute C on T.oid = C.attrelid where C.attnum > 0 and not C.attisdropped order by schemaId, majorOid
