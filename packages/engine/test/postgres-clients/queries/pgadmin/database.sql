-- source: pgAdmin, the database it is connected to; retold
-- row: * | tessera | t | UTF8 | t | f
SELECT db.oid as did, db.datname, db.datallowconn, pg_encoding_to_char(db.encoding) AS serverencoding, has_database_privilege(db.oid, 'CREATE') as cancreate, datistemplate
FROM pg_catalog.pg_database db WHERE db.datname = current_database()
