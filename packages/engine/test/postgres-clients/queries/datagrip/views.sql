-- source: DataGrip, definitions of views; retold
-- row: v | * | SELECT k, v FROM other.filled;
select T.relkind as view_kind, T.oid as view_id, pg_catalog.pg_get_viewdef(T.oid, true) as source_text
from pg_catalog.pg_class T join pg_catalog.pg_namespace N on T.relnamespace = N.oid where N.oid = {oid:public}::oid and T.relkind in ('m','v')
