-- source: pgAdmin, sent when it connects; retold
-- row: hex
SELECT set_config('bytea_output','hex',false) FROM pg_show_all_settings() WHERE name = 'bytea_output'
