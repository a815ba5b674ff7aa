-- source: DataGrip, tables and views that are new; retold
-- row: r | t | * | 1 | f | 0 | NULL | p | NULL | NULL | f | NULL | NULL | 2 | tessera
-- row: v | seen | * | 1 | f | 0 | NULL | p | NULL | NULL | f | NULL | NULL | 0 | tessera
select T.relkind as table_kind, T.relname as table_name, T.oid as table_id, T.xmin as table_state_number, false as table_with_oids, T.reltablespace as tablespace_id,
  T.reloptions as options, T.relpersistence as persistence,
  (select pg_catalog.array_agg(inhparent::bigint order by inhseqno)::varchar from pg_catalog.pg_inherits where T.oid = inhrelid) as ancestors,
  (select pg_catalog.array_agg(inhrelid::bigint order by inhrelid)::varchar from pg_catalog.pg_inherits where T.oid = inhparent) as successors,
  T.relispartition as is_partition, pg_catalog.pg_get_partkeydef(T.oid) as partition_key, pg_catalog.pg_get_expr(T.relpartbound, T.oid) as partition_expression,
  T.relam am_id, pg_catalog.pg_get_userbyid(T.relowner) as "owner"
from pg_catalog.pg_class T where relnamespace = {oid:public}::oid and relkind in ('r', 'm', 'v', 'f', 'p') and pg_catalog.age(T.xmin) <= pg_catalog.age('1'::varchar::xid)
order by table_kind, table_id
