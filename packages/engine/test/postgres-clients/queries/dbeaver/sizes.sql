-- source: DBeaver, sizes of tables; retold
-- row: filled | t | t
SELECT c.relname, pg_catalog.pg_total_relation_size(c.oid) >= 0, pg_catalog.pg_relation_size(c.oid) >= 0
FROM pg_class c WHERE c.relnamespace = {oid:other} AND c.relkind = 'r'
