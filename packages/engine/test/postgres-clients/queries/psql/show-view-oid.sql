-- source: psql 15, \sv seen
-- row: *
SELECT 'seen'::pg_catalog.regclass::pg_catalog.oid
