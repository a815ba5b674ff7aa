-- source: SQLAlchemy 1.4, reflection through psycopg2
-- row: PostgreSQL 15.0 (Tessera 0.2.0)
select pg_catalog.version()
