-- source: Prisma, schemas and version; retold
-- row: t | * | *
SELECT EXISTS(SELECT 1 FROM pg_namespace WHERE nspname = 'public'), version(), current_setting('server_version_num')::integer as numeric_version
