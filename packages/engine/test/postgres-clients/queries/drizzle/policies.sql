-- source: drizzle-kit, pull: policies; retold
-- rows: 0
SELECT schemaname, tablename, policyname AS name, permissive, roles AS "to", cmd AS for, qual AS using, with_check FROM pg_policies
