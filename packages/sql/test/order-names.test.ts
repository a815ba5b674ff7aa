import { afterAll, beforeAll, expect, test } from 'vitest';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const T = 'FROM (VALUES (1, 3), (2, 2), (10, 1)) t(a, b)';

/** The values of the last column, in the order of the result. */
const SORTED: readonly (readonly [sql: string, last: readonly unknown[]])[] = [
  [`SELECT a, CASE WHEN a = 2 THEN NULL ELSE a END ${T} ORDER BY a`, [1, null, 10]],
  [`SELECT CASE WHEN a = 2 THEN NULL ELSE a END, a ${T} ORDER BY a DESC LIMIT 1`, [10]],
  [`SELECT a, a::text ${T} ORDER BY a`, ['1', '2', '10']],
  [`SELECT a, a::text ${T} ORDER BY A`, ['1', '2', '10']],
  [`SELECT b AS a, a::text ${T} ORDER BY a`, ['10', '2', '1']],
  [`SELECT *, a::text ${T} ORDER BY a`, ['1', '2', '10']],
  [`SELECT *, a, a::text ${T} ORDER BY a`, ['1', '2', '10']],
  [`SELECT DISTINCT a, a::text ${T} ORDER BY a`, ['1', '2', '10']],
  [`SELECT DISTINCT ON (a) a, a::text ${T} ORDER BY a`, ['1', '2', '10']],
  [`SELECT a, a::text ${T} GROUP BY a ORDER BY a`, ['1', '2', '10']],
  [`SELECT a::text, a ${T} UNION ALL SELECT '3', 3 ORDER BY a`, [1, 2, 3, 10]],
  [`SELECT * FROM (SELECT a, a::text ${T} ORDER BY a LIMIT 2) s`, ['1', '2']],
  // A name that only one item has refers to that item, as in PostgreSQL.
  [`SELECT a::text ${T} ORDER BY a`, ['1', '10', '2']],
  [`SELECT abs(-a) ${T} ORDER BY abs`, [1, 2, 10]],
  [`SELECT *, abs(-a) ${T} ORDER BY abs DESC`, [10, 2, 1]],
  [`SELECT a AS x, a AS x ${T} ORDER BY x`, [1, 2, 10]],
  [`SELECT -a AS a ${T} ORDER BY a`, [-10, -2, -1]],
  [`SELECT -a AS a ${T} ORDER BY a + 0`, [-1, -2, -10]],
  // Names that differ in case are different names.
  [`SELECT a::text AS "A" ${T} ORDER BY a`, ['1', '2', '10']],
  [`SELECT a::text AS "A" ${T} ORDER BY "A"`, ['1', '10', '2']],
  [`SELECT a::text AS "A" ${T} ORDER BY A LIMIT 2`, ['1', '2']],
  [`SELECT a, -a AS "A" ${T} ORDER BY a`, [-1, -2, -10]],
  [`SELECT a, -a AS "A" ${T} ORDER BY "A"`, [-10, -2, -1]],
  [`SELECT *, -a AS "A" ${T} ORDER BY a`, [-1, -2, -10]],
  [`SELECT *, -a AS "A" ${T} ORDER BY "A"`, [-10, -2, -1]],
  [`SELECT abs(-a), -b AS "Abs" ${T} ORDER BY abs DESC`, [-1, -2, -3]],
  [`SELECT DISTINCT ON (a) -a AS "A" ${T} ORDER BY a`, [-1, -2, -10]],
  [`SELECT DISTINCT ON (b) a, b % 2 AS "B" ${T} ORDER BY b DESC`, [1, 0, 1]],
  [`SELECT DISTINCT a, -a AS "A" ${T} ORDER BY a`, [-1, -2, -10]],
  [`SELECT -b AS "B", row_number() OVER (ORDER BY b) ${T} ORDER BY b`, ['1', '2', '3']],
  [`SELECT * FROM (SELECT a::text AS "A" ${T} ORDER BY a LIMIT 2) s`, ['1', '2']],
  [`SELECT a::text AS x, a AS "X" ${T} UNION ALL SELECT '3', 3 ORDER BY "X"`, [1, 2, 3, 10]],
  [`SELECT a::text AS x, a AS "X" ${T} UNION ALL SELECT '3', 3 ORDER BY x`, [1, 10, 2, 3]],
  [`SELECT a::text AS "A" ${T} GROUP BY a ORDER BY a`, ['1', '2', '10']],
];

test.for(SORTED)('%s', async ([sql, last]) => {
  expect((await dialect.rows(sql)).map((row) => row.at(-1))).toEqual(last);
});

test.for([
  `SELECT a, b AS a ${T} ORDER BY a`,
  `SELECT sum(a), sum(b) ${T} GROUP BY a ORDER BY sum`,
  `SELECT DISTINCT ON (a) a, -a AS a ${T}`,
  `SELECT DISTINCT *, a::text ${T} ORDER BY a`,
])('%s is ambiguous', async (sql) => {
  await expect(dialect.rows(sql)).rejects.toMatchObject({ name: 'AMBIGUOUS_NAME', location: { line: 1 } });
});

test.for([
  `SELECT DISTINCT a ${T} ORDER BY b`,
  `SELECT DISTINCT a ${T} ORDER BY a, a + b`,
  `SELECT DISTINCT a % 2 AS p ${T} ORDER BY a`,
  `SELECT DISTINCT a::text AS "A" ${T} ORDER BY a`,
  `SELECT DISTINCT a % 2 ${T} GROUP BY a ORDER BY count(*)`,
])('%s is refused: the order of merged rows is undefined', async (sql) => {
  await expect(dialect.rows(sql)).rejects.toMatchObject({ name: 'BINDING_ERROR', location: { line: 1 } });
});

/** Columns of subqueries that the kernel would take for one another. */
test.for([
  `SELECT x FROM (SELECT a AS x, b AS x ${T}) s`,
  `SELECT s.x FROM (SELECT a AS x, b AS x ${T}) s`,
  `SELECT a FROM (SELECT * FROM (SELECT a ${T}) t, (SELECT a ${T}) u) s WHERE a > 1`,
  `SELECT count FROM (SELECT count(a), count(b) ${T}) s`,
  `SELECT "X" FROM (SELECT a AS x, b AS "X" ${T}) s`,
  `WITH s(x, "X") AS (SELECT a, b ${T}) SELECT 1 FROM s WHERE "X" > 1`,
  `SELECT b ${T.replace('(a, b)', '(b, b)')}`,
  `SELECT (SELECT s.x) FROM (SELECT a AS x, b AS x ${T}) s`,
  `SELECT a FROM (SELECT a, b ${T}) s(b) ORDER BY b`,
])('%s is ambiguous', async (sql) => {
  await expect(dialect.rows(sql)).rejects.toMatchObject({ name: 'AMBIGUOUS_NAME', location: { line: 1 } });
});

test('a column of USING that a side has several times is ambiguous', async () => {
  const sql = `SELECT 1 ${T} JOIN (SELECT a, b AS a ${T}) s USING (a)`;
  await expect(dialect.rows(sql)).rejects.toMatchObject({ name: 'AMBIGUOUS_NAME' });
});

test.for([
  [`SELECT x FROM (SELECT a AS x, b AS "X" ${T}) s ORDER BY x`, [[1], [2], [10]]],
  [`SELECT -a AS x FROM (SELECT a, b AS x, 1 AS x ${T}) s ORDER BY x`, [[-10], [-2], [-1]]],
  [`SELECT count(*) FROM (SELECT a AS x, b AS x ${T}) s`, [['3']]],
  [`SELECT * FROM (SELECT a AS x, b AS x ${T}) s ORDER BY 1 LIMIT 1`, [[1, 3]]],
  [
    `SELECT b % 2 AS "B", sum(a) ${T} GROUP BY "B" ORDER BY 1`,
    [
      [0, '2'],
      [1, '11'],
    ],
  ],
  [`SELECT b AS "B", sum(a) ${T} GROUP BY b ORDER BY 1 LIMIT 1`, [[1, '10']]],
] as const)('%s', async ([sql, expected]) => {
  expect(await dialect.rows(sql)).toEqual(expected);
});

test.for([
  [`SELECT DISTINCT a % 3 ${T} ORDER BY a % 3 DESC`, [[2], [1]]],
  [`SELECT DISTINCT t.a ${T} ORDER BY -t.a LIMIT 1`, [[10]]],
  [
    `SELECT DISTINCT a % 3 AS p, b > 2 ${T} ORDER BY 2, p DESC`,
    [
      [2, false],
      [1, false],
      [1, true],
    ],
  ],
  [`SELECT DISTINCT abs(t.a) ${T} ORDER BY ABS(A)`, [[1], [2], [10]]],
  [`SELECT DISTINCT * ${T} ORDER BY b LIMIT 1`, [[10, 1]]],
  [`SELECT DISTINCT max(a) ${T} GROUP BY b ORDER BY max(a) DESC`, [[10], [2], [1]]],
] as const)('%s', async ([sql, expected]) => {
  expect(await dialect.rows(sql)).toEqual(expected);
});
