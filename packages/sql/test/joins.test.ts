import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

const KEYED = `WITH t(x, k) AS (VALUES (1, 7)), u(y, k, j) AS (VALUES (2, 7, 9)), v(z, j) AS (VALUES (3, 9))`;

test.each([
  ['t JOIN u USING (k)', ['k', 'x', 'y', 'j'], [7, 1, 2, 9]],
  ['t FULL JOIN u USING (K)', ['k', 'x', 'y', 'j'], [7, 1, 2, 9]],
  ['t JOIN u USING (k) LEFT JOIN v USING (j)', ['j', 'k', 'x', 'y', 'z'], [9, 7, 1, 2, 3]],
  ['t JOIN u USING (k) JOIN t AS w USING (k)', ['k', 'x', 'y', 'j', 'x'], [7, 1, 2, 9, 1]],
  ['t NATURAL JOIN u', ['k', 'x', 'y', 'j'], [7, 1, 2, 9]],
  ['u NATURAL JOIN t', ['k', 'y', 'j', 'x'], [7, 2, 9, 1]],
  ['t NATURAL JOIN u NATURAL LEFT JOIN v', ['j', 'k', 'x', 'y', 'z'], [9, 7, 1, 2, 3]],
  ['t AS a(x, k) NATURAL JOIN t AS b(k, x)', ['x', 'k'], null],
  ['(SELECT 8 AS k, 1 AS x) AS a NATURAL RIGHT JOIN t', ['k', 'x'], [7, 1]],
  ['(SELECT 7 AS k) AS a NATURAL FULL JOIN t', ['k', 'x'], [7, 1]],
  ['v, t JOIN u USING (k)', ['z', 'j', 'k', 'x', 'y', 'j'], [3, 9, 7, 1, 2, 9]],
  ['t JOIN u USING (k), t AS w', ['k', 'x', 'y', 'j', 'x', 'k'], [7, 1, 2, 9, 1, 7]],
  ['v JOIN (t JOIN u USING (k)) ON v.j = u.j', ['z', 'j', 'k', 'x', 'y', 'j'], [3, 9, 7, 1, 2, 9]],
  [
    't FULL JOIN u USING (k) LEFT JOIN v ON v.j = 0',
    ['k', 'x', 'y', 'j', 'z', 'j'],
    [7, 1, 2, 9, null, null],
  ],
  [
    '(t JOIN u USING (k)) JOIN (t AS a JOIN u AS b USING (k)) ON t.x = a.x',
    ['k', 'x', 'y', 'j', 'k', 'x', 'y', 'j'],
    [7, 1, 2, 9, 7, 1, 2, 9],
  ],
  ['(SELECT 1 AS x, 7 AS k) NATURAL JOIN (SELECT 2 AS y, 7 AS k)', ['k', 'x', 'y'], [7, 1, 2]],
  ['(SELECT * FROM u NATURAL JOIN t) AS s NATURAL JOIN v', ['j', 'k', 'y', 'x', 'z'], [9, 7, 2, 1, 3]],
  ['(SELECT * FROM t NATURAL JOIN u) AS s', ['k', 'x', 'y', 'j'], [7, 1, 2, 9]],
  [
    '(WITH t AS (SELECT 3 AS n, 2 AS y) SELECT * FROM u JOIN t USING (y)) AS s',
    ['y', 'k', 'j', 'n'],
    [2, 7, 9, 3],
  ],
  [
    't, LATERAL (SELECT * FROM u NATURAL JOIN v WHERE y > x) AS s',
    ['x', 'k', 'j', 'y', 'k', 'z'],
    [1, 7, 9, 2, 7, 3],
  ],
  ['t NATURAL JOIN generate_series(7, 7) AS k', ['k', 'x'], [7, 1]],
])('merged columns come first in SELECT * FROM %s', async (from, names, row) => {
  const sql = `${KEYED} SELECT * FROM ${from}`;
  expect((await dialect.columns(sql)).map((column) => column.split(':')[0])).toEqual(names);
  expect(await dialect.rows(sql)).toEqual(row === null ? [] : [row]);
});

test.each([
  ['SELECT * EXCLUDE (k), x + 1 FROM u NATURAL JOIN t', [[2, 9, 1, 2]]],
  [
    'SELECT * FROM t NATURAL JOIN u UNION ALL SELECT 10, 11, 12, 13 ORDER BY 1',
    [
      [7, 1, 2, 9],
      [10, 11, 12, 13],
    ],
  ],
  ['SELECT (SELECT y FROM (SELECT * FROM t NATURAL JOIN u) AS s(a, b, y)), 5', [[2, 5]]],
  ['SELECT * FROM u NATURAL JOIN t ORDER BY k, u.k, t.x', [[7, 2, 9, 1]]],
  ['SELECT DISTINCT * FROM u FULL JOIN t USING (k) WHERE k = 7 ORDER BY k', [[7, 2, 9, 1]]],
])('merged columns come first in %s', async (query, rows) => {
  expect(await dialect.rows(`${KEYED} ${query}`)).toEqual(rows);
});

test('a parameter does not change the order of merged columns', async () => {
  const sql = `${KEYED} SELECT * FROM u NATURAL JOIN (SELECT x + $1::int AS z, k FROM t) AS s`;
  expect(await dialect.rows(sql, [{ name: '$1', value: 1n }])).toEqual([[7, 2, 9, 2]]);
  const { result_columns } = await dialect.describe(sql);
  expect(result_columns.map(({ name }) => name)).toEqual(['k', 'y', 'j', 'z']);
});

test.each(['* EXCLUDE (nope) FROM t NATURAL JOIN u', '* FROM t JOIN u USING (nope)'])(
  'a column that does not exist is reported for SELECT %s',
  async (query) => {
    await expect(dialect.rows(`${KEYED} SELECT ${query}`)).rejects.toThrow(/nope/);
  },
);

test('a join in parentheses after NATURAL JOIN is refused, since its parentheses would be lost', async () => {
  const sql = `${TABLES} SELECT * FROM a NATURAL JOIN (b NATURAL JOIN c)`;
  await expect(dialect.rows(sql)).rejects.toMatchObject({ name: 'NOT_SUPPORTED' });
});

/** Rows whose number makes the kernel choose its ASOF operator instead of a loop. */
const MANY_KEYS = Array.from({ length: 200 }, (_, i) => `(${i + 10}, 7, ${i})`).join(', ');

describe('ASOF JOIN', () => {
  const READINGS = `WITH l(id, g, k) AS (VALUES (1, 1, 5), (2, 1, NULL), (3, 2, 5), (4, NULL, 5)),
    r(id, g, k) AS (VALUES (1, 1, 3), (2, 1, NULL), (3, 2, NULL), (4, 2, 9), (5, NULL, 2))`;
  const CONDITIONS = [
    'l.g = r.g AND l.k >= r.k',
    'r.k <= l.k AND r.g = l.g',
    '(l.k >= r.k AND l.g = g2)',
    'l.k + 0 >= r.k AND l.g::TEXT = r.g::TEXT',
  ];
  for (const [kind, expected] of [
    ['', [[1, 1]]],
    [
      'LEFT',
      [
        [1, 1],
        [2, null],
        [3, null],
        [4, null],
      ],
    ],
    [
      'FULL',
      [
        [1, 1],
        [2, null],
        [3, null],
        [4, null],
        [null, 2],
        [null, 3],
        [null, 4],
        [null, 5],
      ],
    ],
  ] as const) {
    for (const condition of CONDITIONS) {
      test(`${kind} ON ${condition}: NULL matches nothing, for few rows and for many`, async () => {
        const from = `l ASOF ${kind} JOIN (SELECT *, g AS g2 FROM r) AS r ON ${condition}`;
        expect(await dialect.rows(`${READINGS} SELECT l.id, r.id FROM ${from} ORDER BY 1, 2`)).toEqual(
          expected,
        );
        const many = READINGS.replace('(4, NULL, 5))', `(4, NULL, 5), ${MANY_KEYS})`);
        const sql = `${many} SELECT l.id, r.id FROM ${from} WHERE l.id < 5 OR l.id IS NULL ORDER BY 1, 2`;
        expect(await dialect.rows(sql)).toEqual(expected);
      });
    }
  }

  test('a single comparison: a NULL on the left side has no match', async () => {
    const sql = `${READINGS} SELECT l.id, r.id FROM l ASOF LEFT JOIN r ON l.k >= r.k ORDER BY 1`;
    expect(await dialect.rows(sql)).toEqual([
      [1, 1],
      [2, null],
      [3, 1],
      [4, 1],
    ]);
  });

  test.each([
    [
      "SELECT 1 FROM (VALUES ('a'::BYTEA, 1)) l(b, k) ASOF JOIN (VALUES ('a'::BYTEA, 1)) r(b, k) ON l.b = r.b AND l.k >= r.k",
      /bytea, array or struct/,
    ],
    [
      'SELECT 1 FROM (VALUES ([1], 1)) l(b, k) ASOF JOIN (VALUES ([1], 1)) r(b, k) ON l.b = r.b AND l.k >= r.k',
      /bytea, array or struct/,
    ],
    ['SELECT 1 FROM (VALUES (1, 1)) l(b, k) ASOF JOIN (VALUES (1, 1)) r(b, k) USING (b, k)', /USING/],
    [
      'SELECT 1 FROM (VALUES (1, 1)) l(a, i) ASOF JOIN (VALUES (1, 1)) r(b, k) ON a = b AND i >= k',
      /without their tables/,
    ],
  ])('%s is refused', async (sql, reason) => {
    await expect(dialect.rows(sql)).rejects.toThrow(reason);
  });
});
