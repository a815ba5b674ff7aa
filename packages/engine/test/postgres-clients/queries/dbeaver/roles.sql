-- source: DBeaver, roles; retold
-- row: tessera | t
SELECT a.rolname, a.rolsuper FROM pg_catalog.pg_roles a LEFT JOIN pg_catalog.pg_shdescription d ON d.objoid = a.oid ORDER BY a.rolname
