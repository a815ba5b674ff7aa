import { afterAll, beforeAll, expect, test } from 'vitest';
import { Dialect } from './dialect.ts';

let dialect: Dialect;

beforeAll(async () => {
  dialect = await Dialect.open();
});

afterAll(() => dialect?.[Symbol.asyncDispose]());

const OUTER = '(VALUES (1), (2)) o(id)';
const INNER = '(VALUES (1), (2)) v(n)';

/** The kernel would take the item for the column of the outer query. */
test.for([
  [`SELECT o.id, EXISTS (SELECT n AS id FROM ${INNER} WHERE id = 1) FROM ${OUTER}`, [true, false]],
  [`SELECT o.id, (SELECT count(*) AS id FROM ${INNER} HAVING id = 2) FROM ${OUTER}`, [null, '2']],
  [`SELECT o.id, (SELECT sum(m) FROM (SELECT n AS id, id AS m FROM ${INNER}) q) FROM ${OUTER}`, ['2', '4']],
  [
    `SELECT o.id, x.m FROM ${OUTER}, LATERAL (SELECT n AS id, id * 10 AS m FROM ${INNER} LIMIT 1) x`,
    [10, 20],
  ],
  [
    `SELECT o.id, x.id FROM ${OUTER} LEFT JOIN LATERAL (SELECT n AS id FROM ${INNER} WHERE id = 1 AND n = 2) x ON true`,
    [2, null],
  ],
  [
    `SELECT o.id, (WITH c AS (SELECT n AS id FROM ${INNER} WHERE id = 1) SELECT count(*) FROM c) FROM ${OUTER}`,
    ['2', '0'],
  ],
  [
    `SELECT o.id, EXISTS (SELECT n AS id FROM ${INNER} WHERE EXISTS (SELECT 1 WHERE id = 1)) FROM ${OUTER}`,
    [true, false],
  ],
  [`SELECT o.id, (SELECT n AS id FROM ${INNER} WHERE id > 0 ORDER BY id DESC LIMIT 1) FROM ${OUTER}`, [2, 2]],
] as const)('%s', async ([sql, last]) => {
  expect((await dialect.rows(`${sql} ORDER BY 1`)).map((row) => row.at(-1))).toEqual(last);
});

test.for([
  `SELECT n AS z FROM ${INNER} WHERE z = 1`,
  `SELECT n AS z, count(*) FROM ${INNER} GROUP BY n HAVING z = 1`,
  `SELECT count(*) FROM ${INNER} HAVING count > 1`,
  `SELECT * FROM (SELECT n AS z FROM ${INNER} WHERE z = 1) q`,
  `WITH c AS (SELECT n AS z FROM ${INNER} WHERE z = 1) SELECT * FROM c`,
  `SELECT 1 UNION ALL SELECT n AS z FROM ${INNER} WHERE z = 1`,
])('%s is refused: WHERE and HAVING cannot name items', async (sql) => {
  await expect(dialect.rows(sql)).rejects.toMatchObject({ name: 'UNDEFINED_NAME', location: { line: 1 } });
});

test.for([
  [`SELECT -n AS n FROM ${INNER} WHERE n > 1`, [[-2]]],
  [`SELECT n AS z FROM ${INNER} GROUP BY z ORDER BY z`, [[1], [2]]],
  [`SELECT n AS z, z + 1 AS y FROM ${INNER} ORDER BY z LIMIT 1`, [[1, 2]]],
  [`SELECT n, row_number() OVER (ORDER BY n) AS z FROM ${INNER} QUALIFY z = 1`, [[1, '1']]],
  [`SELECT n AS x FROM ${INNER} WHERE list_filter([n], x -> x > 1) = [2]`, [[2]]],
] as const)('%s', async ([sql, rows]) => {
  expect(await dialect.rows(sql)).toEqual(rows);
});

test.for([
  [`SELECT * FROM (SELECT 1 AS k, 2 AS a) x NATURAL JOIN (SELECT 1 AS k, 3 AS "A") y`, [[1, 2, 3]]],
  [`SELECT count(*) FROM (SELECT 1 AS k, 2 AS a) x NATURAL JOIN (SELECT 1 AS k, 3 AS a) y`, [['0']]],
] as const)('columns with other letters in upper case are other columns: %s', async ([sql, rows]) => {
  expect(await dialect.rows(sql)).toEqual(rows);
});

test('USING needs the same name on both sides, also in case', async () => {
  const sql = 'SELECT 1 FROM (SELECT 1 AS a) x JOIN (SELECT 1 AS "A") y USING (a)';
  const message = 'Column "a" in USING does not exist on the right side of the join';
  await expect(dialect.rows(sql)).rejects.toMatchObject({ name: 'UNDEFINED_NAME', message });
});
