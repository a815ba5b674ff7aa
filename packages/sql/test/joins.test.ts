import { afterAll, beforeAll, expect, test } from 'vitest';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const TABLES = `WITH a AS (SELECT 1 AS x UNION ALL SELECT 2), b AS (SELECT 1 AS y), c AS (SELECT 2 AS z),
  none AS (SELECT 9 AS z WHERE false)`;

// The kernel's printer turns CROSS JOIN into a comma, which binds less tightly; it would change the meaning
// of these statements.
test.each([
  ['a CROSS JOIN none FULL JOIN c ON x = c.z', [[null, null, 2]]],
  [
    'a CROSS JOIN b FULL JOIN c ON x = z',
    [
      [1, 1, null],
      [2, 1, 2],
    ],
  ],
  ['a CROSS JOIN b RIGHT JOIN c ON x = z', [[2, 1, 2]]],
  ['c LEFT JOIN (a CROSS JOIN b) ON x = z', [[2, 2, 1]]],
  [
    'a CROSS JOIN LATERAL (SELECT x + 1 AS y) AS l LEFT JOIN c ON c.z = l.y',
    [
      [1, 2, 2],
      [2, 3, null],
    ],
  ],
  [
    'a, b LEFT JOIN c ON y = z',
    [
      [1, 1, null],
      [2, 1, null],
    ],
  ],
])('%s', async (from, expected) => {
  expect(await dialect.rows(`${TABLES} SELECT * FROM ${from} ORDER BY 1, 2`)).toEqual(expected);
});

test('a join in parentheses behind NATURAL JOIN is refused, since its parentheses would be lost', async () => {
  const sql = `${TABLES} SELECT * FROM a NATURAL JOIN (b NATURAL JOIN c)`;
  await expect(dialect.rows(sql)).rejects.toMatchObject({ name: 'NOT_SUPPORTED' });
});
