-- source: SQLAlchemy 1.4, reflection through psycopg2
-- row: SELECT k, v FROM other.filled;
SELECT pg_get_viewdef(c.oid) view_def FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relname = 'seen' AND c.relkind IN ('v', 'm')
