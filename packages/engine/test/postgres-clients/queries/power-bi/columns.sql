-- source: Power BI's PostgreSQL connector, columns; retold
-- row: id | 1 | NO | integer | NULL | 32 | 0
select COLUMN_NAME, ORDINAL_POSITION, IS_NULLABLE,
  case when (data_type like '%unsigned%') then DATA_TYPE || ' unsigned' else DATA_TYPE end as DATA_TYPE,
  CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE
from INFORMATION_SCHEMA.columns where TABLE_SCHEMA = 'public' and TABLE_NAME = 't' order by ORDINAL_POSITION
