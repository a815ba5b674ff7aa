-- source: DataGrip, start of the server; retold
-- rows: 1
select round(extract(epoch from pg_postmaster_start_time() at time zone 'UTC')) as startup_time
