-- source: SQLAlchemy 1.4, reflection through psycopg2
-- row: *
SELECT c.oid
            FROM pg_catalog.pg_class c
            LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE (n.nspname = 'public')
            AND c.relname = 't' AND c.relkind in
            ('r', 'v', 'm', 'f', 'p')
