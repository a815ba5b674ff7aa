-- source: pgAdmin, locks of the dashboard; retold
-- rows: 0
SELECT pid, locktype, datname, relation::regclass, page, tuple, virtualxid transactionid, classid::regclass, objid, virtualtransaction, mode, granted, fastpath
FROM pg_catalog.pg_locks l LEFT OUTER JOIN pg_catalog.pg_database d ON (l.database = d.oid) ORDER BY pid, locktype
