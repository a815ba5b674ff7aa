-- source: Grafana, version of the server; retold
-- row: 1500
SELECT current_setting('server_version_num')::int / 100 AS version
