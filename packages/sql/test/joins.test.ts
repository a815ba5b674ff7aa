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

test('a join in parentheses behind NATURAL JOIN is refused, since its parentheses would be lost', async () => {
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
