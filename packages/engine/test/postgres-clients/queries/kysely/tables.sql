-- source: kysely, PostgresIntrospector.getTables; retold
-- row: k | t | f | filled | r | other | int4 | pg_catalog | NULL | NULL
-- row: v | f | f | filled | r | other | text | pg_catalog | NULL | NULL
-- row: k | f | f | seen | v | public | int4 | pg_catalog | NULL | NULL
select a.attname as "column", a.attnotnull as not_null, a.atthasdef as has_default, c.relname as "table", c.relkind as table_type,
  ns.nspname as "schema", typ.typname as "type", dtns.nspname as type_schema,
  col_description(a.attrelid, a.attnum) as column_description,
  pg_get_serial_sequence(quote_ident(ns.nspname) || '.' || quote_ident(c.relname), a.attname) as auto_incrementing
from "pg_catalog"."pg_attribute" as "a"
  inner join "pg_catalog"."pg_class" as "c" on "a"."attrelid" = "c"."oid"
  inner join "pg_catalog"."pg_namespace" as "ns" on "c"."relnamespace" = "ns"."oid"
  inner join "pg_catalog"."pg_type" as "typ" on "a"."atttypid" = "typ"."oid"
  inner join "pg_catalog"."pg_namespace" as "dtns" on "typ"."typnamespace" = "dtns"."oid"
where "c"."relkind" in ('r', 'v', 'p', 'f') and "ns"."nspname" !~ '^pg_' and "ns"."nspname" != 'information_schema'
  and has_schema_privilege(ns.nspname, 'USAGE') and "a"."attnum" >= 0 and "a"."attisdropped" != true
order by "ns"."nspname", "c"."relname", "a"."attnum"
