-- source: pgAdmin, properties of a table; retold
-- row: * | t | 2200 | tessera | * | NULL | NULL | p | 5 | NULL | f
SELECT rel.oid, rel.relname AS name, rel.relnamespace AS relnsp, pg_catalog.pg_get_userbyid(rel.relowner) AS relowner, rel.reltuples::bigint,
  (SELECT st.setting FROM pg_catalog.pg_settings st WHERE st.name = 'autovacuum_nothing') AS autovacuum, pg_catalog.array_to_string(rel.relacl::text[], ', ') AS relacl_str,
  rel.relpersistence, rel.relnatts, substring(pg_catalog.array_to_string(rel.reloptions, ',') FROM 'fillfactor=([0-9]*)') AS fillfactor,
  (CASE WHEN rel.oid <= 100::oid THEN true ElSE false END) AS is_sys_table
FROM pg_catalog.pg_class rel LEFT OUTER JOIN pg_catalog.pg_tablespace spc on spc.oid=rel.reltablespace
  LEFT OUTER JOIN pg_catalog.pg_constraint con ON con.conrelid=rel.oid AND con.contype='p'
  LEFT OUTER JOIN pg_catalog.pg_class tst ON tst.oid = rel.reltoastrelid LEFT JOIN pg_catalog.pg_type typ ON rel.reloftype=typ.oid
WHERE rel.relkind IN ('r','s','t','p') AND rel.oid = {oid:t}::oid
