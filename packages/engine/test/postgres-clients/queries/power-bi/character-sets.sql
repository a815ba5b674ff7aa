-- source: Power BI's PostgreSQL connector, encoding; retold
-- row: UTF8
select character_set_name from INFORMATION_SCHEMA.character_sets
