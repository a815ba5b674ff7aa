import { afterAll, beforeAll, expect, test } from 'vitest';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
  await dialect.file('secret.csv', 'a\n1\n');
});
afterAll(() => dialect[Symbol.asyncDispose]());

const REFUSED: readonly (readonly [sql: string, error: string])[] = [
  ["SELECT getenv('HOME')", 'FORBIDDEN'],
  ["SELECT getvariable('x')", 'FORBIDDEN'],
  ['SELECT approx_top_k(1, 1000000)', 'FORBIDDEN'],
  ['SELECT bitstring_agg(1, 0, 999999999)', 'FORBIDDEN'],
  ['SELECT reservoir_quantile(1, 0.5, 2000000000)', 'FORBIDDEN'],
  ["SELECT main.getvariable('x')", 'FORBIDDEN'],
  ["SELECT system.main.upper('x')", 'FORBIDDEN'],
  ["SELECT * FROM read_blob('upload://secret.csv')", 'FORBIDDEN'],
  ["SELECT * FROM glob('/etc/*')", 'FORBIDDEN'],
  ["SELECT * FROM sniff_csv('upload://secret.csv')", 'FORBIDDEN'],
  ["SELECT * FROM parquet_metadata('upload://x')", 'FORBIDDEN'],
  ["SELECT * FROM parquet_scan('upload://x')", 'FORBIDDEN'],
  ["SELECT * FROM read_csv_auto('upload://x')", 'FORBIDDEN'],
  ["SELECT * FROM read_ndjson('upload://x')", 'FORBIDDEN'],
  ['SELECT * FROM duckdb_settings()', 'FORBIDDEN'],
  ['SELECT * FROM pragma_version()', 'FORBIDDEN'],
  ["SELECT * FROM query('SELECT 1')", 'FORBIDDEN'],
  ["SELECT * FROM query_table('t')", 'FORBIDDEN'],
  ["SELECT json_serialize_sql('SELECT 1')", 'FORBIDDEN'],
  ["SELECT * FROM json_execute_serialized_sql('{}')", 'FORBIDDEN'],
  ["SELECT * FROM 'secret.csv'", 'FORBIDDEN'],
  ["SELECT * FROM 'upload://secret.csv'", 'FORBIDDEN'],
  ['SELECT * FROM "secret.csv"', 'FORBIDDEN'],
  ['SELECT * FROM duckdb_tables', 'UNDEFINED_TABLE'],
  ['SELECT * FROM sqlite_master', 'UNDEFINED_TABLE'],
  ['SELECT * FROM information_schema.tables', 'UNDEFINED_TABLE'],
  ['SELECT * FROM pg_catalog.pg_class', 'UNDEFINED_TABLE'],
  ['SELECT (SELECT count(*) FROM pg_class)', 'UNDEFINED_TABLE'],
  ['SELECT 1 WHERE EXISTS (FROM duckdb_columns)', 'UNDEFINED_TABLE'],
  ['WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a', 'UNDEFINED_TABLE'],
  ['SELECT * FROM (WITH a AS (SELECT 1) SELECT 1) s, a', 'UNDEFINED_TABLE'],
  ['SELECT tsr_divisor(1)', 'UNDEFINED_FUNCTION'],
  ['SELECT * FROM tsr_read_text([], [])', 'UNDEFINED_FUNCTION'],
  ['SELECT * FROM (SHOW TABLES)', 'NOT_SUPPORTED'],
  ['SELECT * FROM (DESCRIBE duckdb_tables)', 'UNDEFINED_TABLE'],
  [`SELECT '{"a": {"b": 1, "b": 2}}'::json::variant = '1'::json::variant`, 'UNDEFINED_OBJECT'],
  ["SELECT CAST('[]' AS STRUCT(a VARIANT[]))", 'UNDEFINED_OBJECT'],
  ["SELECT variant_normalize('{}'::json)", 'FORBIDDEN'],
  ['SELECT 1; SELECT 2', 'SYNTAX_ERROR'],
  ['PIVOT t ON a USING sum(b)', 'NOT_SUPPORTED'],
];

test.for(REFUSED)('%s is refused', async ([sql, name]) => {
  await expect(dialect.rows(sql)).rejects.toMatchObject({ name });
});

const ALLOWED: readonly string[] = [
  'WITH a AS (SELECT 1 AS x), b AS (SELECT * FROM a) SELECT * FROM b, a AS c',
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r',
  'WITH a AS (SELECT 1) SELECT * FROM (SELECT * FROM A) s',
  'WITH a AS (WITH b AS (SELECT 1) SELECT * FROM b) SELECT (SELECT count(*) FROM a)',
  'SELECT * FROM generate_series(1, 2)',
  'SELECT * FROM unnest([1, 2]) u(x)',
  'SELECT unnest([1, 2])',
  'FROM range(3) SELECT count(*)',
  'VALUES (1), (2)',
  "SELECT * FROM (VALUES (1, 'a')) v PIVOT (count(*) FOR column2 IN ('a'))",
  'SELECT * EXCLUDE (a) FROM (SELECT 1 AS a, 2 AS b)',
  'SELECT x, row_number() OVER (ORDER BY x) n FROM (VALUES (1)) v(x) QUALIFY n = 1',
  'SELECT x, count(*) FROM (VALUES (1)) v(x) GROUP BY GROUPING SETS ((x), ())',
  "SELECT 'DROP TABLE x; ATTACH ''y'''",
];

test.for(ALLOWED)('%s runs', async (sql) => {
  await expect(dialect.rows(sql)).resolves.toBeDefined();
});
