-- source: pg_dump 15
-- row: {public}
SELECT pg_catalog.current_schemas(false)
