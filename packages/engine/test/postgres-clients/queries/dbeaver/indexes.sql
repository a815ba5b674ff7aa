-- source: DBeaver, indexes of a table; retold
-- row: t_primary_index | 1 | t | NULL | NULL | 0 | * | * | 1 | 1 | f | f | f | f | t | t | t | f | t | t | f | {1} | {0} | {0} | {0} | NULL | NULL
SELECT c.relname, i.indkey AS keys, tc.relname AS tabrelname, pg_catalog.pg_get_expr(i.indexprs, i.indrelid, true) AS expr,
  pg_catalog.pg_relation_size(i.indexrelid) AS index_rel_size, pg_catalog.pg_stat_get_numscans(i.indexrelid) AS index_num_scans, i.*
FROM pg_catalog.pg_index i
  INNER JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  INNER JOIN pg_catalog.pg_class tc ON tc.oid = i.indrelid
WHERE i.indrelid = {oid:t} ORDER BY tabrelname, c.relname
