-- source: SQLAlchemy 1.4, reflection through psycopg2
-- row: filled
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'other' AND c.relkind in ('r', 'p')
