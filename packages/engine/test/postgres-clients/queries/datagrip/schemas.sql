-- source: DataGrip, schemas with the transactions that changed them; retold
-- row: 2200 | 1 | public | * | tessera
-- row: * | 1 | other | * | tessera
select N.oid::bigint as id, N.xmin as state_number, nspname as name, D.description, pg_catalog.pg_get_userbyid(N.nspowner) as "owner"
from pg_catalog.pg_namespace N left join pg_catalog.pg_description D on N.oid = D.objoid
order by case when nspname = pg_catalog.current_schema() then -1::bigint else N.oid::bigint end
