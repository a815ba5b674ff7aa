-- source: Superset, probes of a connection; retold
-- row: tessera | public | *
SELECT CURRENT_USER AS u, current_schema() AS s, pg_catalog.version() AS v
