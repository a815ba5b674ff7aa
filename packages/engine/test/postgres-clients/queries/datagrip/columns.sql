-- source: DataGrip, columns; retold
-- row: * | 1 | id | int4 | -1 | t | NULL
-- row: * | 2 | name | text | -1 | f | 'x'
with T as (select distinct T.oid as table_id, T.relname as table_name from pg_catalog.pg_class T, pg_catalog.pg_attribute A
    where T.relnamespace = {oid:public}::oid and T.relkind in ('r', 'm', 'v', 'f', 'p') and A.attrelid = T.oid)
select T.table_id, C.attnum as column_position, C.attname as column_name, tp.typname, C.atttypmod as type_mod, C.attnotnull as mandatory,
  pg_catalog.pg_get_expr(D.adbin, T.table_id) as column_default_expression
from T join pg_catalog.pg_attribute C on T.table_id = C.attrelid left join pg_catalog.pg_type tp on tp.oid = C.atttypid
  left join pg_catalog.pg_attrdef D on (C.attrelid, C.attnum) = (D.adrelid, D.adnum)
where attnum > 0 and not attisdropped order by table_id, attnum
