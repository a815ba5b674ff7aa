-- source: DataGrip, privileges of what is new; retold
-- row: * | NULL
select T.oid as object_id, T.relacl as acl from pg_catalog.pg_class T where relnamespace = {oid:public}::oid and pg_catalog.age(T.xmin) <= pg_catalog.age('1'::varchar::xid)
union all select T.oid as object_id, T.proacl as acl from pg_catalog.pg_proc T where pronamespace = {oid:public}::oid and pg_catalog.age(T.xmin) <= pg_catalog.age('1'::varchar::xid)
order by object_id
