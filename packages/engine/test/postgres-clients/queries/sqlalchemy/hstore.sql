-- source: SQLAlchemy 1.4, reflection through psycopg2
-- rows: 0
SELECT t.oid, typarray
FROM pg_type t JOIN pg_namespace ns
    ON typnamespace = ns.oid
WHERE typname = 'hstore'
