-- source: DBeaver, access methods; retold
-- row: heap | *
SELECT am.amname, am.oid FROM pg_catalog.pg_am am ORDER BY am.oid
