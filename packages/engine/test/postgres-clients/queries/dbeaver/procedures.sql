-- source: DBeaver, functions of a schema; retold
SELECT p.oid as poid, p.*, pg_catalog.pg_get_expr(p.proargdefaults, 0) as arg_defaults, d.description
FROM pg_catalog.pg_proc p LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=p.oid LEFT OUTER JOIN pg_catalog.pg_depend dep on p.oid = dep.objid AND dep.deptype <> 'i'
WHERE p.pronamespace={oid:public} ORDER BY p.proname
