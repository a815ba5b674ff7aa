-- source: Superset, databases; retold
-- row: tessera
SELECT datname FROM pg_database WHERE NOT datistemplate
