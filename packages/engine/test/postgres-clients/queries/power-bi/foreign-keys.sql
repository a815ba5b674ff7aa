-- source: Power BI's PostgreSQL connector, relationships; retold
-- rows: 0
select pkcol.COLUMN_NAME as PK_COLUMN_NAME, fkcol.TABLE_SCHEMA as FK_TABLE_SCHEMA, fkcol.TABLE_NAME as FK_TABLE_NAME,
  fkcol.COLUMN_NAME as FK_COLUMN_NAME, fkcol.ORDINAL_POSITION as ORDINAL
from (select distinct constraint_catalog, constraint_schema, unique_constraint_schema, constraint_name, unique_constraint_name
    from INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS) fkcon
  inner join INFORMATION_SCHEMA.KEY_COLUMN_USAGE fkcol on fkcon.CONSTRAINT_SCHEMA = fkcol.CONSTRAINT_SCHEMA and fkcon.CONSTRAINT_NAME = fkcol.CONSTRAINT_NAME
  inner join INFORMATION_SCHEMA.KEY_COLUMN_USAGE pkcol on fkcon.UNIQUE_CONSTRAINT_SCHEMA = pkcol.CONSTRAINT_SCHEMA and fkcon.UNIQUE_CONSTRAINT_NAME = pkcol.CONSTRAINT_NAME
where pkcol.TABLE_SCHEMA = 'public' and pkcol.TABLE_NAME = 't' and pkcol.ORDINAL_POSITION = fkcol.ORDINAL_POSITION
order by fkcon.CONSTRAINT_NAME, fkcol.ORDINAL_POSITION
