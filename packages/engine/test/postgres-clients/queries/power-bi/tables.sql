-- source: Power BI's PostgreSQL connector, navigator; retold
-- row: other | filled | BASE TABLE
-- row: public | seen | VIEW
-- row: public | t | BASE TABLE
select TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE from INFORMATION_SCHEMA.tables
where TABLE_SCHEMA not in ('information_schema', 'pg_catalog') order by TABLE_SCHEMA, TABLE_NAME
