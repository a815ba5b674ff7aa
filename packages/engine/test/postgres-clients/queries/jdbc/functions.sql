-- source: pgjdbc 42.5, DatabaseMetaData and its type cache
-- row: tessera | pg_catalog | array_all_match | NULL | 1 | *
-- row: tessera | pg_catalog | array_any_match | NULL | 1 | *
-- row: tessera | pg_catalog | array_cat | NULL | 1 | *
SELECT current_database() AS FUNCTION_CAT, n.nspname AS FUNCTION_SCHEM, p.proname AS FUNCTION_NAME,  d.description AS REMARKS,  CASE    WHEN (format_type(p.prorettype, null) = 'unknown') THEN 0   WHEN      (substring(pg_get_function_result(p.oid) from 0 for 6) = 'TABLE') OR      (substring(pg_get_function_result(p.oid) from 0 for 6) = 'SETOF') THEN 2   ELSE 1 END  AS FUNCTION_TYPE,  p.proname || '_' || p.oid AS SPECIFIC_NAME FROM pg_catalog.pg_proc p INNER JOIN pg_catalog.pg_namespace n ON p.pronamespace=n.oid LEFT JOIN pg_catalog.pg_description d ON p.oid=d.objoid WHERE true   AND p.prokind='f' AND p.proname LIKE 'array%' ORDER BY FUNCTION_SCHEM, FUNCTION_NAME, p.oid::text
