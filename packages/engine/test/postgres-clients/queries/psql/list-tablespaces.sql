-- source: psql 15, \db
-- row: pg_default | system_admin | 
-- row: pg_global | system_admin | 
SELECT spcname AS "Name",
  pg_catalog.pg_get_userbyid(spcowner) AS "Owner",
  pg_catalog.pg_tablespace_location(oid) AS "Location"
FROM pg_catalog.pg_tablespace
ORDER BY 1
