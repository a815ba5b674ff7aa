-- source: Npgsql 8, labels of enums; retold
-- rows: 0
SELECT typ.oid, enumlabel FROM pg_enum JOIN pg_type AS typ ON typ.oid = enumtypid
ORDER BY oid, enumsortorder
