import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareQuery } from '../src/index.ts';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

/** Each rewrite by its file in `src/rewrites`: a statement of the dialect, and what the kernel runs instead. */
const REWRITES: readonly (readonly [rewrite: string, before: string, after: string])[] = [
  [
    'asof-joins: NULL matches no row',
    'SELECT 1 AS x FROM (SELECT 1 AS a, 2 AS t) l ASOF JOIN (SELECT 1 AS a, 2 AS t) r ON l.a = r.a AND l.t >= r.t',
    'SELECT 1 AS x FROM (SELECT 1 AS a, 2 AS t) AS l ASOF INNER JOIN (SELECT 1 AS a, 2 AS t) AS r ON (((CASE  WHEN ((l.a IS NULL)) THEN (NULL) WHEN ((l.t IS NULL)) THEN (NULL) ELSE 1 END = CASE  WHEN ((r.a IS NULL)) THEN (NULL) WHEN ((r.t IS NULL)) THEN (NULL) ELSE 1 END) AND (tsr_asof_key(l.a) = tsr_asof_key(r.a)) AND (l.t >= r.t)))',
  ],
  [
    'cross-joins: a join in parentheses on the right side',
    'SELECT 1 AS x FROM (SELECT 1 AS i) a CROSS JOIN ((SELECT 2 AS j) b JOIN (SELECT 3 AS k) c ON TRUE)',
    "SELECT 1 AS x FROM (SELECT 1 AS i) AS a , (SELECT 2 AS j) AS b INNER JOIN (SELECT 3 AS k) AS c ON (CAST('t' AS BOOLEAN))",
  ],
  [
    'days-of-series',
    "SELECT * FROM generate_series(DATE '2020-01-01', DATE '2020-01-03', INTERVAL '1 day') AS g(d)",
    "SELECT * FROM generate_series(CAST(CAST('2020-01-01' AS DATE) AS TIMESTAMP), CAST(CAST('2020-01-03' AS DATE) AS TIMESTAMP), CAST('1 day' AS INTERVAL)) AS g(d)",
  ],
  ['decimal-literals', 'SELECT 1.50 AS x', "SELECT CAST('1.50' AS DOUBLE) AS x"],
  [
    'distinct-sets: a grouping set that occurs twice',
    'SELECT a, count(*) AS n FROM (SELECT 1 AS a, 2 AS b) AS t GROUP BY DISTINCT GROUPING SETS ((a), (), (a), (a, b))',
    'SELECT a, count_star() AS n FROM (SELECT 1 AS a, 2 AS b) AS t GROUP BY GROUPING SETS ((a),(),(a, b))',
  ],
  [
    'division: of integers, toward zero',
    'SELECT 7 / 2 AS x, i / 2 AS y FROM (SELECT 7 AS i)',
    'SELECT (7 // 2) AS x, (i // 2) AS y FROM (SELECT 7 AS i)',
  ],
  [
    'function-columns: the alias names the column',
    'SELECT * FROM generate_series(1, 2) AS n',
    'SELECT * FROM generate_series(1, 2) AS n(n)',
  ],
  [
    'functions-in-from: a function that returns one value',
    "SELECT * FROM lower('A') AS t",
    "SELECT * FROM (SELECT lower('A') AS t) AS t",
  ],
  ['literals: bytea', "SELECT '\\x00ff'::bytea AS x", "SELECT CAST('\\x00\\xff' AS BLOB) AS x"],
  ['literals: double', 'SELECT 1e2 AS x', "SELECT CAST('100' AS DOUBLE) AS x"],
  ['long-lists: a short list stays as it is', 'SELECT range(1000) AS x', 'SELECT "range"(1000) AS x'],
  [
    'long-lists: a long list is not computed while the query is planned',
    'SELECT length(range(12400000)) AS x, range(0, 7, b) AS y FROM (SELECT 2 AS b) AS t',
    'SELECT tsr_length("range"((12400000 * CAST(((random() * 0) + 1) AS BIGINT)))) AS x, "range"(0, 7, b) AS y FROM (SELECT 2 AS b) AS t',
  ],
  [
    'long-lists: a series of times in a list of rows',
    "SELECT generate_series(TIMESTAMP '2024-01-01', '2025-01-01', '1 second') AS x",
    "SELECT unnest(generate_series(CAST('2024-01-01' AS TIMESTAMP), CAST('2025-01-01' AS TIMESTAMP), (tsr_pg_step(CAST('1 second' AS INTERVAL)) * CAST(((random() * 0) + 1) AS BIGINT)))) AS x",
  ],
  [
    'long-lists: unnest in FROM',
    'SELECT x FROM unnest(range(12400000)) AS x',
    'SELECT x FROM (SELECT unnest("range"((12400000 * CAST(((random() * 0) + 1) AS BIGINT)))) AS unnest) AS x(x)',
  ],
  [
    'order-names: a constant orders no aggregate',
    "SELECT array_agg(a ORDER BY 'x', a DESC, 1) AS x FROM (SELECT 1 AS a) AS t",
    'SELECT array_agg(a ORDER BY a DESC) AS x FROM (SELECT 1 AS a) AS t',
  ],
  [
    'order-names: the column and not its text is the sort key',
    'SELECT a, a::text FROM (SELECT 1 AS a) AS t ORDER BY a',
    'SELECT a, CAST(a AS VARCHAR) AS a FROM (SELECT 1 AS a) AS t ORDER BY 1',
  ],
  [
    'distinct-arrays',
    'SELECT a IS DISTINCT FROM ARRAY[1] AS x FROM (SELECT ARRAY[2] AS a) AS s',
    "SELECT CASE  WHEN ((a IS DISTINCT FROM (ARRAY[1]))) THEN (CAST('t' AS BOOLEAN)) ELSE CAST('f' AS BOOLEAN) END AS x FROM (SELECT (ARRAY[2]) AS a) AS s",
  ],
  [
    'correlated-ctes: a subquery reads a common table expression that uses a column of an outer query',
    'SELECT (WITH a AS (SELECT o.x AS y) SELECT (SELECT y FROM a WHERE y > z) AS s FROM (SELECT 1 AS z) AS t) AS r FROM (SELECT 2 AS x) AS o',
    'SELECT (SELECT (SELECT y FROM (SELECT o.x AS y) AS a WHERE (y > z)) AS s FROM (SELECT 1 AS z) AS t) AS r FROM (SELECT 2 AS x) AS o',
  ],
  [
    'correlated-ctes: no column of an outer query is used',
    'SELECT (WITH a AS (SELECT 3 AS y) SELECT (SELECT y FROM a WHERE y > z) AS s FROM (SELECT 1 AS z) AS t) AS r FROM (SELECT 2 AS x) AS o',
    'SELECT (WITH a AS (SELECT 3 AS y)SELECT (SELECT y FROM a WHERE (y > z)) AS s FROM (SELECT 1 AS z) AS t) AS r FROM (SELECT 2 AS x) AS o',
  ],
  [
    'distinct-arrays: joins stay as they are',
    'SELECT 1 AS x FROM (SELECT ARRAY[2] AS a) AS s JOIN (SELECT ARRAY[2] AS a) AS t ON s.a IS NOT DISTINCT FROM t.a',
    'SELECT 1 AS x FROM (SELECT (ARRAY[2]) AS a) AS s INNER JOIN (SELECT (ARRAY[2]) AS a) AS t ON ((s.a IS NOT DISTINCT FROM t.a))',
  ],
  [
    'grouped-rows',
    'SELECT unnest([1, 1]) + a AS x, count(*) AS n FROM (SELECT 1 AS a) AS s GROUP BY 1',
    'SELECT (tsr_rows.tsr_1 + a) AS x, count_star() AS n FROM (SELECT 1 AS a) AS s , (SELECT unnest(main.list_value(1, 1)) AS tsr_1) AS tsr_rows GROUP BY 1',
  ],
  [
    'grouped-rows: GROUP BY ALL',
    'SELECT unnest([1, 1]) AS x, count(*) AS n GROUP BY ALL',
    'SELECT tsr_rows.tsr_1 AS x, count_star() AS n FROM (SELECT unnest(main.list_value(1, 1)) AS tsr_1) AS tsr_rows GROUP BY ALL',
  ],
  ['parameters', 'SELECT $1 AS x', 'SELECT CAST(7 AS BIGINT) AS x'],
  ['patterns: LIKE', "SELECT 'a' LIKE 'a\\_' AS x", "SELECT like_escape('a', 'a\\_', '\\') AS x"],
  [
    'patterns: LIKE with several % and other characters',
    "SELECT a LIKE '%a_%b' AS x, a ILIKE '%a%b%' AS y, a NOT ILIKE '%a%' AS z FROM (SELECT 'x' AS a WHERE 'b' ILIKE '%a%b') AS s",
    "SELECT regexp_full_match(a, tsr_like_regex('%a_%b')) AS x, (lower(a) ~~ lower('%a%b%')) AS y, (a !~~* '%a%') AS z FROM (SELECT 'x' AS a WHERE (lower('b') ~~ lower('%a%b'))) AS s",
  ],
  [
    'patterns: LIKE with a subquery, which runs once',
    "SELECT (SELECT 'a') LIKE a AS x FROM (SELECT 'x' AS a) AS s",
    `SELECT like_escape((SELECT 'a' AS "?column?"), a, '\\') AS x FROM (SELECT 'x' AS a) AS s`,
  ],
  ['patterns: ~*', "SELECT 'a' ~* 'A' AS x", "SELECT regexp_matches('a', 'A', 'i') AS x"],
  [
    'quantified-arrays',
    'SELECT 1 = ANY(ARRAY[1, 2]) AS x',
    'SELECT (1 = ANY(SELECT unnest((ARRAY[1, 2])) AS unnest)) AS x',
  ],
  [
    'quantified-patterns: an array that the statement spells',
    "SELECT a LIKE ANY (ARRAY['x%', 'y%']) AS x FROM (SELECT 'x' AS a) AS s",
    "SELECT ((a ~~ 'x%') OR (a ~~ 'y%')) AS x FROM (SELECT 'x' AS a) AS s",
  ],
  [
    'quantified-patterns: another array',
    "SELECT 'x' NOT LIKE ALL (p) AS x FROM (SELECT ARRAY['x'] AS p) AS s",
    "SELECT tsr_all_true(list_transform(p, (tsr_pattern -> CASE  WHEN (tsr_is_slow_pattern(tsr_pattern)) THEN ((NOT regexp_full_match('x', tsr_like_regex(tsr_pattern)))) ELSE not_like_escape('x', tsr_pattern, '\\') END))) AS x FROM (SELECT (ARRAY['x']) AS p) AS s",
  ],
  [
    'patterns: word bounds of PostgreSQL',
    "SELECT 'a' ~ '\\yx\\M' AS x, 'a' ~ '\\mx+\\M' AS y, 'a' ~ '\\\\m' AS z",
    "SELECT regexp_matches('a', '\\bx\\b') AS x, regexp_matches('a', '\\bx+\\b') AS y, regexp_matches('a', '\\\\m') AS z",
  ],
  [
    'row-comparisons: from left to right',
    'SELECT (1, 2) < (1, 3) AS x',
    'SELECT ((1 < 1) OR ((1 = 1) AND (2 < 3))) AS x',
  ],
  [
    'series-in-select',
    'SELECT generate_series(1, 3) AS x',
    'SELECT unnest(CAST(generate_series(1, 3) AS INTEGER[])) AS x',
  ],
  [
    'string-agg: NULL separates by nothing',
    "SELECT string_agg(a, NULL) AS x FROM (SELECT 'a' AS a)",
    "SELECT string_agg(a, '') AS x FROM (SELECT 'a' AS a)",
  ],
  [
    'summarised-types',
    'SELECT * FROM (SUMMARIZE SELECT 1 AS a) AS s',
    'SELECT * FROM (SELECT * FROM (SELECT column_name, tsr_type_name(column_type) AS column_type, min, max, approx_unique, avg, std, q25, q50, q75, count, null_percentage FROM (SUMMARIZE (SELECT 1 AS a)))) AS s',
  ],
  [
    'element-casts: each literal is read as the element',
    "SELECT ['Feb 29, 2024', NULL]::date[] AS x",
    "SELECT CAST(main.list_value(CAST('2024-02-29' AS DATE), NULL) AS DATE[]) AS x",
  ],
  [
    'quantified-arrays: the rows of a query stay as they are',
    'SELECT 1 IN (SELECT unnest([2])) AS x',
    "SELECT (1 = ANY(SELECT unnest(main.list_value(2)) AS unnest WHERE CAST('t' AS BOOLEAN))) AS x",
  ],
  [
    'time-texts: the clock',
    "SELECT 'now'::timestamptz AS x",
    'SELECT CAST(now() AS TIMESTAMP WITH TIME ZONE) AS x',
  ],
  [
    'time-texts: zones of POSIX count to the west',
    "SELECT TIMESTAMPTZ '2020-01-01 00:00:00+00' AT TIME ZONE '+02' AS x",
    "SELECT tsr_at_offset(CAST('2020-01-01 00:00:00+00' AS TIMESTAMP WITH TIME ZONE), -120) AS x",
  ],
  [
    'whole-partitions: the order goes into the aggregate',
    "SELECT string_agg(a, ',') OVER (PARTITION BY b ORDER BY c ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS x FROM (SELECT 'a' AS a, 1 AS b, 2 AS c)",
    "SELECT string_agg(a, ',' ORDER BY c) OVER (PARTITION BY b) AS x FROM (SELECT 'a' AS a, 1 AS b, 2 AS c)",
  ],
  [
    'whole-partitions: a maximum has no order',
    'SELECT max(a) OVER (PARTITION BY b ORDER BY a RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS x FROM (SELECT 1 AS a, 1 AS b)',
    'SELECT max(a) OVER (PARTITION BY b) AS x FROM (SELECT 1 AS a, 1 AS b)',
  ],
  [
    'whole-partitions: other frames and functions keep their order',
    'SELECT max(a) OVER (ORDER BY a) AS x, first_value(a) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS y FROM (SELECT 1 AS a)',
    'SELECT max(a) OVER (ORDER BY a) AS x, first_value(a) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS y FROM (SELECT 1 AS a)',
  ],
  [
    'subqueries-once: a macro that names its argument more than once',
    "SELECT split_part((SELECT 'a'), a, 1) AS x, split_part('a', a, 1) AS y FROM (SELECT 'x' AS a) AS s",
    `SELECT list_extract(list_transform(list_value("row"((SELECT 'a' AS "?column?"), a)), (tsr_arguments -> tsr_split_part(array_extract(tsr_arguments, 1), array_extract(tsr_arguments, 2), 1))), 1) AS x, tsr_split_part('a', a, 1) AS y FROM (SELECT 'x' AS a) AS s`,
  ],
  [
    'subqueries-once: a function that names its argument more than once',
    "SELECT to_char((SELECT DATE '2024-01-02'), 'YYYY Q') AS x",
    `SELECT list_extract(list_transform(list_value((SELECT CAST('2024-01-02' AS DATE) AS date)), (tsr_subquery -> CASE  WHEN (("year"(tsr_subquery) > 0)) THEN ((strftime(tsr_subquery, '%Y ') || tsr_to_char_q(tsr_subquery))) ELSE ((tsr_to_char_yyyy(tsr_subquery) || strftime(tsr_subquery, ' ')) || tsr_to_char_q(tsr_subquery)) END)), 1) AS x`,
  ],
  [
    'subqueries-once: a macro of the kernel',
    'SELECT nullif((SELECT 1), a) AS x FROM (SELECT 2 AS a) AS s',
    'SELECT list_extract(list_transform(list_value("row"((SELECT 1 AS "?column?"), a)), (tsr_arguments -> "nullif"(array_extract(tsr_arguments, 1), array_extract(tsr_arguments, 2)))), 1) AS x FROM (SELECT 2 AS a) AS s',
  ],
  [
    'subqueries-once: a macro that names it once, and a function, stay as they are',
    "SELECT reverse((SELECT 'a')) AS x, sha256((SELECT 'a'::bytea)) AS y",
    `SELECT reverse((SELECT 'a' AS "?column?")) AS x, tsr_pg_sha256((SELECT CAST('a' AS BLOB) AS bytea)) AS y`,
  ],
];

test.for(REWRITES)('%s', async ([, before, after]) => {
  const { sql } = await prepareQuery(before, dialect.context([{ name: '$1', value: 7n }]));
  expect(sql).toBe(after);
});

test.each([
  ['SELECT 42', true],
  ['SELECT unnest([1, 2])', false],
  ['SELECT * FROM range(9) AS r(i) LIMIT 2048', true],
  ['SELECT * FROM range(9) AS r(i) LIMIT 2049', false],
  ['SELECT * FROM range(9) AS r(i) ORDER BY i LIMIT 2', true],
  ['SELECT 1 + count(*), max(i) FROM range(9) AS r(i)', true],
  ['SELECT count(*), unnest([1, 2]) FROM range(9) AS r(i)', false],
  ['SELECT sum(i) OVER () FROM range(9) AS r(i)', false],
  ['SELECT (SELECT count(*)) FROM range(9) AS r(i)', false],
  ['SELECT count(*) FROM range(9) AS r(i) GROUP BY i', false],
  ['SELECT i, count(*) FROM range(9) AS r(i) GROUP BY ALL', false],
  ['SELECT count(*) FROM range(9) AS r(i) UNION ALL SELECT i FROM range(9) AS r(i)', false],
  ['SELECT i FROM range(9) AS r(i) WHERE i = 1', false],
])('%s returns few rows: %s', async (sql, expected) => {
  expect((await prepareQuery(sql, dialect.context())).fewRows).toBe(expected);
});

test('common table expressions that use outer columns may not multiply without a limit', async () => {
  const doubled = Array.from(
    { length: 8 },
    (_, i) => `a${i + 1} AS (SELECT l.y FROM a${i} AS l JOIN a${i} AS r ON TRUE)`,
  );
  const sql = `SELECT (WITH a0 AS (SELECT o.x AS y), ${doubled.join(', ')} SELECT (SELECT y FROM a8)) AS r FROM (SELECT 2 AS x) AS o`;
  await expect(prepareQuery(sql, dialect.context([]))).rejects.toThrow(
    'Reading common table expressions that use columns of an outer query more than 256 times is not supported',
  );
});
