-- source: SQLAlchemy 1.4, reflection through psycopg2
-- row: t
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind in ('r', 'p')
