-- source: pg_dump 15
-- row: * | tessera
SELECT oid, rolname FROM pg_catalog.pg_roles ORDER BY 1
