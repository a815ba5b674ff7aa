-- source: pgAdmin, sessions of the dashboard; retold
-- row: * | tessera | tessera | * | * | * | active | * | {} | *
SELECT pid, datname, usename, application_name, client_addr, pg_catalog.to_char(backend_start, 'YYYY-MM-DD HH24:MI:SS TZ') AS backend_start, state,
  wait_event_type || ': ' || wait_event AS wait_event, pg_catalog.pg_blocking_pids(pid) AS blocking_pids,
  CASE WHEN state = 'active' THEN ROUND((extract(epoch from now() - query_start) / 60)::numeric, 2) ELSE 0 END AS active_since
FROM pg_catalog.pg_stat_activity WHERE datname = (SELECT datname FROM pg_catalog.pg_database WHERE datname = 'tessera') ORDER BY pid
