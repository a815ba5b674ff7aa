-- source: psql 15, tab completion
-- row: tessera
SELECT rolname    FROM pg_catalog.pg_roles   WHERE rolname LIKE '%'
LIMIT 1000
