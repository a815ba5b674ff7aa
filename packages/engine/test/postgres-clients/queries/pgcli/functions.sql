-- source: pgcli, completion of functions; retold
-- row: pg_catalog | array_contains | NULL | {} | boolean | f | NULL
SELECT n.nspname schema_name, p.proname func_name, p.proargnames, COALESCE(proallargtypes::regtype[], proargtypes::regtype[])::text[],
  prorettype::regtype::text return_type, p.prokind = 'a' is_aggregate, pg_get_expr(proargdefaults, 0) AS arg_defaults
FROM pg_catalog.pg_proc p INNER JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE p.prorettype::regtype != 'trigger'::regtype AND p.proname = 'array_contains' ORDER BY 1, 2
