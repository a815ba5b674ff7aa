-- source: Metabase, tables with their descriptions; retold
-- row: other | filled | TABLE | NULL | 100
-- row: public | seen | VIEW | NULL | NULL
-- row: public | t | TABLE | NULL | 0
SELECT n.nspname AS "schema", c.relname AS "name",
  CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' WHEN 'f' THEN 'FOREIGN TABLE' END AS "type",
  d.description, stat.n_live_tup AS estimated_row_count
FROM "pg_catalog"."pg_class" AS "c"
  INNER JOIN "pg_catalog"."pg_namespace" AS "n" ON "c"."relnamespace" = "n"."oid"
  LEFT JOIN "pg_catalog"."pg_description" AS "d" ON ("c"."oid" = "d"."objoid") AND ("d"."objsubid" = '0') AND ("d"."classoid" = 'pg_class'::regclass)
  LEFT JOIN "pg_stat_user_tables" AS "stat" ON ("n"."nspname" = "stat"."schemaname") AND ("c"."relname" = "stat"."relname")
WHERE ("n"."nspname" !~ '^pg_') AND ("n"."nspname" <> 'information_schema') AND c.relkind IN ('r', 'p', 'v', 'f', 'm')
ORDER BY 1, 2
