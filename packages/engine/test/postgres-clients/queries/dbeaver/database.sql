-- source: DBeaver, the database it is connected to; retold
-- row: * | * | tessera | * | 6 | c | f | t | -1 | 0 | 0 | 1663 | C | C | NULL | NULL | {tessera=UC/tessera,=U/tessera}
SELECT db.oid, db.* FROM pg_catalog.pg_database db WHERE datname = 'tessera'
