-- source: DBeaver, settings of the session; retold
-- row: *
SELECT reset_val FROM pg_settings WHERE name = 'search_path'
