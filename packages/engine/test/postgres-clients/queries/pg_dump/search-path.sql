-- source: pg_dump 15
-- row: 
SELECT pg_catalog.set_config('search_path', '', false)
