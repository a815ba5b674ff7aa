import { TesseraError } from '@tessera/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsOf, TableFixture } from '../testing/table-fixture.ts';

let fixture: TableFixture;

const snapshot = () => fixture.committedSnapshot();

beforeAll(async () => {
  fixture = await TableFixture.open();
  await fixture.table(
    't',
    `SELECT i::BIGINT AS a, 'x' || i AS b, DATE '2020-01-01' + i::INTEGER AS c, i::SMALLINT AS s,
      TIMESTAMPTZ '2020-01-01 00:00:00+00' + INTERVAL (i) HOUR AS at FROM range(300) r(i)`,
  );
  await fixture.rows('SELECT * FROM t', { snapshot });
  await fixture.agent.settled();
  await fixture.table(
    'pruned',
    `SELECT i::BIGINT AS a, 'x' || i AS b, DATE '2020-01-01' + i::INTEGER AS c, i % 7 AS s FROM range(9000) r(i)`,
    { primaryIndex: ['a'], maxBytes: 30_000 },
  );
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** The result of a query or the name of its error, what it skips of its tables, and whether it was bound. */
async function run(sql: string, plans: boolean) {
  let wasBound = true;
  const onLiteralPlan = () => {
    wasBound = false;
  };
  try {
    // Tables that are not committed are not loaded into memory, so they are pruned.
    const committed = sql.includes('pruned') ? {} : { snapshot };
    const executable = await fixture.executable(sql, { ...committed, ...(plans && { onLiteralPlan }) });
    try {
      const columns = executable.columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
      const rows = await rowsOf(executable);
      // Conditions that contradict each other may be recognised earlier.
      const skipped = executable.tables.map(({ tabletsPrunedByRange, granulesPruned }) => ({
        tabletsPrunedByRange,
        granulesPruned,
      }));
      return { wasBound, result: { columns, rows, skipped: rows.length === 0 ? [] : skipped } };
    } finally {
      await executable.release();
    }
  } catch (error) {
    if (error instanceof TesseraError) return { wasBound, result: error.name };
    throw error;
  }
}

/** A statement by its literals, the literals one after the other, and those from the third on that need no binding. */
const CASES: readonly (readonly [
  of: (...literals: string[]) => string,
  literals: readonly (readonly string[])[],
  unbound: readonly number[],
])[] = [
  [
    (a) => `SELECT b FROM t WHERE a = ${a}`,
    [['1'], ['2'], ['3'], ['400'], ['5000000000'], ['-7'], ['1.5'], ['4']],
    [2, 3, 7],
  ],
  [
    (b) => `SELECT a FROM t WHERE b = ${b}`,
    [["'x1'"], ["'x2'"], ["'it''s'"], ["''"], ["'\\x'"], ["'x3'"]],
    [2, 3, 5],
  ],
  [
    (c) => `SELECT a FROM t WHERE c = ${c}`,
    [
      ["'2020-01-02'"],
      ["'2020-01-03'"],
      ["'2020-01-04'"],
      ["'20200105'"],
      ["'today'"],
      ["'no date'"],
      ["'2020-02-30'"],
    ],
    [2],
  ],
  [
    (from, to) => `SELECT count(*) AS n FROM t WHERE at BETWEEN ${from} AND ${to} AND a <> 5`,
    [
      ["'2020-01-01'", "'2020-01-02'"],
      ["'2020-01-02'", "'2020-01-03'"],
      ["'2020-01-03'", "'2020-01-05'"],
      ["'2020-01-02 10:00:00+02'", "'2020-01-05'"],
      ["'2020-01-02 10:00 +02'", "'2020-01-05'"],
    ],
    [2],
  ],
  [
    (x, y) => `SELECT s FROM t WHERE s <> ${x} AND s IN (${y}, 7) ORDER BY s LIMIT 5`,
    [
      ['5', '6'],
      ['6', '8'],
      ['100000', '9'],
      ['3', '3'],
      ['4', '70000'],
    ],
    [2, 3, 4],
  ],
  // The two places had equal literals in both samples, so it is not known which one stands where.
  [
    (x, y) => `SELECT a FROM t WHERE a = ${x} OR a + 1 = ${y} ORDER BY a`,
    [
      ['5', '5'],
      ['6', '6'],
      ['7', '7'],
      ['7', '8'],
      ['9', '12'],
      ['10', '14'],
    ],
    [2, 4, 5],
  ],
  // A literal that had one value so far may mean something else with another one.
  [
    (x, y) => `SELECT count(*) AS n FROM t WHERE a > ${x} AND a < ${y}`,
    [
      ['5', '100'],
      ['6', '100'],
      ['7', '100'],
      ['7', '101'],
      ['9', '102'],
    ],
    [2, 4],
  ],
  [(x) => `SELECT ${x}, a FROM t WHERE a < 2 ORDER BY ${x}`, [['1'], ['2'], ['3']], []],
  [(n) => `SELECT a FROM t WHERE a < 9 ORDER BY a LIMIT ${n}`, [['1'], ['2'], ['3'], ['3000']], []],
  [(x) => `SELECT 'a = 5', a FROM t WHERE a = ${x} -- = 5`, [['5'], ['6'], ['7']], [2]],
  [
    (a) => `SELECT b, s FROM pruned WHERE a = ${a}`,
    [['1'], ['2'], ['3'], ['8999'], ['9000'], ['5000000000'], ['-7'], ['4'], ['1.5']],
    [2, 3, 4, 7],
  ],
  [
    (b) => `SELECT a FROM pruned WHERE b = ${b} AND a >= 0`,
    [["'x1'"], ["'x2'"], ["'x8500'"], ["'it''s'"], ["''"]],
    [2, 3, 4],
  ],
  [
    (from, to) => `SELECT a, c FROM pruned WHERE a > ${from} AND a < ${to}`,
    [
      ['5', '100'],
      ['6', '7000'],
      ['7', '8'],
      ['200', '3'],
      ['3', '200'],
      ['8000', '9500'],
    ],
    [2, 3, 4, 5],
  ],
  [
    (x, y) => `SELECT b FROM pruned WHERE a IN (${x}, ${y}) OR b = 'x77' ORDER BY a`,
    [
      ['5', '6'],
      ['7', '8'],
      ['8500', '9'],
      ['4', '4'],
    ],
    [2, 3],
  ],
  // With the literals of the samples, nothing is read.
  [
    (x, y) => `SELECT b FROM pruned WHERE a = ${x} AND a = ${y}`,
    [
      ['1', '2'],
      ['3', '4'],
      ['5', '5'],
    ],
    [],
  ],
  // A literal decides whether a branch is read.
  [
    (x) =>
      `SELECT CASE WHEN ${x} > 5 THEN b ELSE c::TEXT END AS v FROM pruned WHERE a < 3 AND s < ${x} ORDER BY a`,
    [['7'], ['8'], ['3']],
    [],
  ],
  [
    (x) => `SELECT CASE WHEN a > 5 THEN b ELSE c::TEXT END AS v FROM pruned WHERE a = ${x}`,
    [['7'], ['8'], ['3']],
    [2],
  ],
  // These are planned for their literals: text in another form, tables read twice, fewer columns than are named, the first rows.
  [(x) => `SELECT a FROM pruned WHERE c = ${x}`, [["'2020-01-02'"], ["'2020-01-03'"], ["'20200104'"]], []],
  [(x) => `SELECT a FROM pruned WHERE a + 1 = ${x}`, [['7'], ['8'], ['3']], []],
  [(x) => `SELECT a FROM t WHERE a + 0.5::numeric(10, 2) = ${x}`, [["'1.5'"], ["'2.5'"], ["'3.504'"]], []],
  // The kernel makes `a = 2 AND s = 3` of the first, and `a = 3 AND s = 4` of the second: the values of the other literal.
  [
    (x, y) => `SELECT a, s FROM pruned WHERE a + 1 = ${x} AND s - 1 = ${y}`,
    [
      ['3', '2'],
      ['4', '3'],
      ['10', '1'],
    ],
    [],
  ],
  [
    (x, y) =>
      `SELECT (SELECT count(*) FROM pruned WHERE a < ${x}) + (SELECT count(*) FROM pruned WHERE a > ${y}) AS n`,
    [
      ['7', '70'],
      ['8', '80'],
      ['3', '9500'],
    ],
    [],
  ],
  [(x) => `SELECT count(*) AS n FROM (SELECT * FROM pruned) AS q WHERE a = ${x}`, [['7'], ['8'], ['3']], []],
  [(x) => `SELECT b FROM pruned WHERE a > ${x} ORDER BY c LIMIT 2`, [['7'], ['8'], ['3']], []],
];

test.each(CASES.map(([of, literals, unbound]) => ({ name: of('?', '?'), of, literals, unbound })))(
  'literals after literals: $name',
  async ({ of, literals, unbound }) => {
    const found: number[] = [];
    for (const [i, values] of literals.entries()) {
      const { wasBound, result } = await run(of(...values), true);
      if (!wasBound) found.push(i);
      const exact = await run(`${of(...values)} /* ${i} */`.replace(/--(.*)/, '/*$1 */'), false);
      expect(result, of(...values)).toEqual(exact.result);
    }
    expect(found).toEqual(unbound);
  },
);

test('a statement is bound again when its table was replaced', async () => {
  const of = (k: number) => run(`SELECT v FROM replaced WHERE k = ${k}`, true);
  await fixture.table('replaced', "SELECT i::INTEGER AS k, 'old' || i AS v FROM range(9) r(i)");
  await of(1);
  await fixture.agent.settled();
  await of(2);
  await of(3);
  expect(await of(4)).toMatchObject({ wasBound: false, result: { rows: [['old4']] } });
  const [table] = fixture.snapshot
    .relations(fixture.snapshot.schemas(fixture.snapshot.databases()[0]!.id)[0]!.id)
    .filter(({ name }) => name === 'replaced');
  fixture.change({ kind: 'drop', id: table!.id });
  expect(await of(5)).toEqual({ wasBound: true, result: 'UNDEFINED_TABLE' });
  await fixture.table('replaced', 'SELECT i::INTEGER AS k, i AS v FROM range(9) r(i)');
  expect(await of(6)).toMatchObject({ wasBound: true, result: { rows: [['6']] } });
});
