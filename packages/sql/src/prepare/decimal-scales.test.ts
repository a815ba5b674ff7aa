import { afterAll, beforeAll, expect, it } from 'vitest';
import { Dialect } from '../../test/dialect.ts';
import { queryData } from './prepare-query.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const kernelSql = async (sql: string) => (await queryData(sql, dialect.context())).sql;

const WIDE = '1::numeric(38, 0)';
const NARROW = '2.345::numeric(12, 3)';
const FROM = `FROM (SELECT ${WIDE} AS w, ${NARROW} AS n) AS t`;
const FROM_AFTER = 'FROM (SELECT CAST(1 AS DECIMAL(38,0)) AS w, CAST(2.345 AS DECIMAL(12,3)) AS n) AS t';

it.each([
  [
    'a set operation',
    `SELECT ${WIDE} AS x UNION ALL SELECT ${NARROW}`,
    '(SELECT CAST(tsr_rows.tsr_1 AS DECIMAL(38,3)) AS x FROM (SELECT CAST(1 AS DECIMAL(38,0)) AS x) AS tsr_rows(tsr_1)) UNION ALL (SELECT CAST(tsr_rows.tsr_1 AS DECIMAL(38,3)) AS "numeric" FROM (SELECT CAST(2.345 AS DECIMAL(12,3)) AS "numeric") AS tsr_rows(tsr_1))',
  ],
  [
    'coalesce',
    `SELECT coalesce(w, n) AS x ${FROM}`,
    `SELECT COALESCE(CAST(w AS DECIMAL(38,3)), CAST(n AS DECIMAL(38,3))) AS x ${FROM_AFTER}`,
  ],
  [
    'CASE, and an equal one in GROUP BY',
    `SELECT CASE WHEN w > 1 THEN w ELSE n END AS x ${FROM} GROUP BY CASE WHEN w > 1 THEN w ELSE n END`,
    `SELECT CASE  WHEN ((w > 1)) THEN (CAST(w AS DECIMAL(38,3))) ELSE CAST(n AS DECIMAL(38,3)) END AS x ${FROM_AFTER} GROUP BY CASE  WHEN ((w > 1)) THEN (CAST(w AS DECIMAL(38,3))) ELSE CAST(n AS DECIMAL(38,3)) END`,
  ],
  [
    'a remainder, whose type has room for an integer as well',
    `SELECT w % nullif(n, 0) AS x, mod(n, w) AS y, CAST(n AS DECIMAL(38, 30)) % 7 AS z ${FROM}`,
    'SELECT (CAST(w AS DECIMAL(38,3)) % CAST(tsr_divisor("nullif"(n, 0), w) AS DECIMAL(38,3))) AS x, tsr_mod(CAST(n AS DECIMAL(38,3)), CAST(w AS DECIMAL(38,3))) AS y, (CAST(n AS DECIMAL(38,30)) % CAST(7 AS DECIMAL(38,30))) AS z ' +
      FROM_AFTER,
  ],
  [
    'a value of an array',
    `SELECT n = ANY (ARRAY[w]) AS x ${FROM}`,
    `SELECT (CAST(n AS DECIMAL(38,3)) = ANY(SELECT unnest(CAST((ARRAY[w]) AS DECIMAL(38,3)[])) AS unnest)) AS x ${FROM_AFTER}`,
  ],
])('decimals are kept: %s', async (_, before, after) => {
  expect(await kernelSql(before)).toBe(after);
});

it('a combination within another one, and one of the alias of a column, take the decimals of all values', async () => {
  const nested = `SELECT greatest(coalesce(nullif(w, 1), n), 0.12345::numeric(10, 5)) AS x, least(x, w) AS y ${FROM}`;
  expect(await dialect.rows(nested)).toEqual([['2.34500', '1.00000']]);
});

it.each([
  [
    'rows in order, without duplicates',
    'SELECT DISTINCT coalesce(nullif(w, 2), n) AS x FROM (VALUES (1::numeric(38, 0), 0.5::numeric(2, 1)), (2, 2.5::numeric(2, 1))) AS t(w, n) ORDER BY coalesce(nullif(w, 2), n)',
    [['1.0'], ['2.5']],
  ],
  [
    'elements that a subquery returns as rows',
    `SELECT n IN (SELECT unnest(ARRAY[w]) FROM generate_series(1, 2)) AS x, coalesce(nullif(w, 1), n) AS y ${FROM}`,
    [[false, '2.345']],
  ],
])('decimals are kept in %s', async (_, sql, rows) => {
  expect(await dialect.rows(sql)).toEqual(rows);
});

it.each([
  ['decimals that fit together', 'SELECT coalesce(1::numeric(30, 2), 2.5::numeric(12, 3)) AS x'],
  ['a decimal and an integer', `SELECT coalesce(${WIDE}, 2) AS x`],
  ['decimals and a floating point number', `SELECT coalesce(${WIDE}, ${NARROW}, 1.5::float8) AS x`],
  [
    'comparisons of numbers, for which the kernel finds the decimals',
    `SELECT w = n AS x, w IN (n) AS y ${FROM}`,
  ],
])('there is no cast for %s', async (_, sql) => {
  expect(await kernelSql(sql)).not.toContain('DECIMAL(38,3)');
});

it('a value that has no room beside the decimals is an error', async () => {
  const sql = `SELECT ${'9'.repeat(38)}::numeric(38, 0) UNION ALL SELECT ${NARROW}`;
  await expect(dialect.rows(sql)).rejects.toThrow(/out of range for type numeric\(38, 3\)/);
});
