-- source: DBeaver, values of enumerations; retold
-- rows: 0
SELECT e.enumlabel FROM pg_catalog.pg_enum e WHERE e.enumtypid = 23 ORDER BY e.enumsortorder
