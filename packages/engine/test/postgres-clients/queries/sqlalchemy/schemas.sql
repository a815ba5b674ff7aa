-- source: SQLAlchemy 1.4, reflection through psycopg2
-- row: other
-- row: public
SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%' ORDER BY nspname
