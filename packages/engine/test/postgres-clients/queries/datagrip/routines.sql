-- source: DataGrip, functions of users; retold
-- rows: 0
with languages as (select oid as lang_oid, lanname as lang from pg_catalog.pg_language),
  routines as (select proname as r_name, prolang as lang_oid, oid as r_id, xmin as r_state_number, proargnames as arg_names, proargmodes as arg_modes,
    proargtypes::int[] as in_arg_types, proallargtypes::int[] as all_arg_types, pg_catalog.pg_get_expr(proargdefaults, 0) as arg_defaults, prorettype as ret_type_id,
    prokind as kind, proconfig as configuration_parameters, pg_catalog.pg_get_userbyid(proowner) as "owner"
  from pg_catalog.pg_proc where pronamespace = {oid:public}::oid and not (prokind = 'a'))
select * from routines natural join languages
