import { TesseraError } from '@tessera/common';
import type { QueryParameter, SqlType } from '@tessera/sql';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rowsOf, TableFixture } from '../testing/table-fixture.ts';

let fixture: TableFixture;

const snapshot = () => fixture.committedSnapshot();

beforeAll(async () => {
  fixture = await TableFixture.open();
  await fixture.table(
    't',
    `SELECT i::BIGINT AS a, 'x' || i AS b, DATE '2020-01-01' + i::INTEGER AS c, (i / 7)::DECIMAL(18, 6) AS d,
      CASE WHEN i % 5 <> 0 THEN i::INTEGER END AS n FROM range(300) r(i)`,
    { notNull: ['a'] },
  );
  await fixture.table(
    'dated',
    "SELECT i::INTEGER AS k, TIMESTAMP '2026-01-01' + INTERVAL (i) HOUR AS at FROM range(90) r(i)",
  );
  // From here on, the tables are in memory, where values do not affect pruning.
  await fixture.rows('SELECT * FROM t', { snapshot });
  await fixture.rows('SELECT * FROM dated', { snapshot });
  await fixture.agent.settled();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const LONG: SqlType = { kind: 'long' };
const DATE: SqlType = { kind: 'date' };
const SQL_NAMES: Partial<Record<SqlType['kind'], string>> = {
  long: 'BIGINT',
  int: 'INTEGER',
  double: 'DOUBLE',
  float: 'REAL',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
  text: 'TEXT',
};

type Value = string | null;

const CASES: readonly (readonly [
  sql: string,
  types: readonly SqlType[],
  values: readonly (readonly Value[])[],
])[] = [
  ['SELECT b, c FROM t WHERE a = $1', [LONG], [['7'], ['8'], ['-1'], [null], ['299'], [' +12 ']]],
  ['SELECT $1', [LONG], [['1'], ['2'], [null], ['3']]],
  [
    'SELECT $1 + 1 AS x, $1 * $2 AS y',
    [LONG, { kind: 'double' }],
    [
      ['1', '2'],
      ['2', '1e3'],
      ['3', 'NaN'],
      ['4', null],
    ],
  ],
  [
    'SELECT count(*), min(n) FROM t WHERE n > $1 OR $1 IS NULL',
    [{ kind: 'int' }],
    [['1'], ['2'], [null], ['400']],
  ],
  ['SELECT a FROM t ORDER BY a LIMIT $1', [LONG], [['1'], ['2'], ['5'], [null], ['0']]],
  [
    'SELECT a FROM t ORDER BY a LIMIT $1 OFFSET $2',
    [LONG, LONG],
    [
      ['1', '2'],
      ['2', '3'],
      ['3', '290'],
    ],
  ],
  ['SELECT a % $1, count(*) FROM t GROUP BY 1 ORDER BY 1', [LONG], [['2'], ['3'], ['4'], ['0']]],
  ['SELECT sum(a) FROM t GROUP BY $1', [LONG], [['1'], ['2'], ['3']]],
  ['SELECT a FROM t WHERE a < 5 ORDER BY $1, a', [LONG], [['1'], ['2'], ['3']]],
  ['SELECT round(d, $1) FROM t WHERE a = 10', [{ kind: 'int' }], [['6'], ['2'], ['1'], ['0'], ['-1']]],
  ['SELECT trunc(d, $1) FROM t WHERE a = 10', [{ kind: 'int' }], [['6'], ['2'], ['1'], ['0']]],
  ['SELECT b[$1], [10, 20, 30][$1] FROM t WHERE a = 123', [LONG], [['1'], ['2'], ['3'], ['9']]],
  ["SELECT '$1', b, $1 FROM t WHERE a = $1", [LONG], [['1'], ['2'], ['3']]],
  [
    'SELECT c FROM t WHERE c BETWEEN $1 AND $2',
    [DATE, DATE],
    [
      ['2020-01-02', '2020-01-03'],
      ['2020-02-01', '2020-02-02'],
      ['2020-03-01', null],
      ['0044-03-15 BC', '2020-01-01'],
    ],
  ],
  [
    'SELECT count(*) FROM dated WHERE at >= $1',
    [{ kind: 'timestamp' }],
    [['2026-01-02 00:00:00'], ['2026-01-03 12:00'], ['infinity'], ['2026-01-01T05:00:00Z']],
  ],
  [
    'SELECT count(*) FROM dated WHERE at >= $1',
    [{ kind: 'timestamptz' }],
    [['2026-01-02 00:00:00+00'], ['2026-01-03 12:00+02'], ['2026-01-03 12:00 Asia/Tokyo']],
  ],
  [
    'SELECT b FROM t WHERE a = $1 AND b = $2',
    [LONG, { kind: 'text' }],
    [
      ['1', 'x1'],
      ['2', 'x2'],
      ['3', "it's $1"],
      ['3', 'x3'],
      ['4', 'x3'],
    ],
  ],
  ['SELECT a FROM t WHERE (a = 3) = $1 AND a < 5', [{ kind: 'boolean' }], [['t'], ['f'], ['true'], [null]]],
  [
    'SELECT d / $1, a / $2 FROM t WHERE a = 20',
    [LONG, LONG],
    [
      ['2', '3'],
      ['3', '7'],
      ['5', '0'],
      ['0', '1'],
    ],
  ],
  [
    'SELECT date_trunc($1, c) FROM t WHERE a = $2',
    [{ kind: 'text' }, LONG],
    [
      ['hour', '1'],
      ['month', '2'],
      ['month', '3'],
      ['year', '3'],
    ],
  ],
  [
    'SELECT CASE WHEN $1 THEN 1 ELSE 2.5 END, coalesce(n, $2) FROM t WHERE a = 5',
    [{ kind: 'boolean' }, LONG],
    [
      ['t', '1'],
      ['f', '2'],
      ['f', '3'],
    ],
  ],
  [
    'SELECT x FROM (SELECT a + $1 AS x FROM t) WHERE x < $2 ORDER BY 1',
    [LONG, LONG],
    [
      ['1', '4'],
      ['2', '5'],
      ['-7', '0'],
    ],
  ],
  [
    'SELECT a FROM t WHERE a IN ($1, $2, $10) ORDER BY 1',
    Array(10).fill(LONG),
    [[...'1234567890'], [...'2345678901'], [...'3456789012']],
  ],
  [
    "SELECT repeat('a', $1), substring(b, $1), left(b, $1) FROM t WHERE a = 100",
    [{ kind: 'int' }],
    [['1'], ['2'], ['3']],
  ],
  [
    'SELECT a, lag(a, $1) OVER (ORDER BY a), ntile($1) OVER (ORDER BY a) FROM t WHERE a < 5 ORDER BY 1',
    [LONG],
    [['1'], ['2'], ['3'], ['0']],
  ],
  [
    'SELECT percentile_cont($1) WITHIN GROUP (ORDER BY a) FROM t',
    [{ kind: 'double' }],
    [['0.5'], ['0.25'], ['0.1'], ['2']],
  ],
  ['SELECT * FROM generate_series(1, $1) AS g(x)', [LONG], [['1'], ['2'], ['3']]],
  [
    'SELECT $1::DECIMAL(10, 2) + d, $1 / 2, -$1, $1 || b FROM t WHERE a = 11',
    [LONG],
    [['1'], ['-2'], ['3'], ['123456789012']],
  ],
  [
    'SELECT c + $1, c - $2, $2 - c FROM t WHERE a = 3',
    [{ kind: 'int' }, DATE],
    [
      ['1', '2020-01-01'],
      ['2', '2021-01-01'],
      ['-3', '1999-12-31'],
    ],
  ],
  [
    'SELECT (SELECT max(a) FROM t AS u WHERE u.a < t.a + $1) FROM t WHERE a = $2',
    [LONG, LONG],
    [
      ['1', '2'],
      ['5', '3'],
      ['-3', '9'],
    ],
  ],
];

const literal = (value: Value, type: SqlType): string =>
  `CAST(${value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`} AS ${SQL_NAMES[type.kind]})`;

/** The result of a query, or the name of its error. */
async function outcome(sql: string, parameters: readonly QueryParameter[]) {
  try {
    const executable = await fixture.executable(sql, { parameters, snapshot });
    try {
      const types = executable.columns.map(({ type, nullable }) => ({ type, nullable }));
      return { types, rows: await rowsOf(executable) };
    } finally {
      await executable.release();
    }
  } catch (error) {
    if (error instanceof TesseraError) return error.name;
    throw error;
  }
}

test.for(CASES)('one plan serves several values: %s', async ([sql, types, lists]) => {
  for (const values of [...lists, ...lists.toReversed()]) {
    const parameters = values.map((value, i) => ({ name: `$${i + 1}`, value, type: types[i] }));
    // A binder without history binds with the values, as for statements that occur once.
    const fresh = await unseen(sql, parameters);
    expect(await outcome(sql, parameters), `${sql} with ${values.join(', ')}`).toEqual(fresh);
  }
});

let unseenCount = 0;
/** The same statement with a text that was never sent. */
const unseen = (sql: string, parameters: readonly QueryParameter[]) =>
  outcome(`${sql} -- ${unseenCount++}`, parameters);

test.for([
  ['SELECT b FROM t WHERE a = $1', [LONG], [['7'], ['8'], ['9']], [['x7'], ['x8'], ['x9']]],
] as const)('parameter values behave like the same literals: %s', async ([sql, types, lists, expected]) => {
  for (const [i, values] of lists.entries()) {
    const parameters = values.map((value, k) => ({ name: `$${k + 1}`, value, type: types[k] }));
    const text = sql.replace(/\$(\d)/g, (_, n) => literal(values[Number(n) - 1]!, types[Number(n) - 1]!));
    expect(await fixture.rows(sql, { parameters, snapshot })).toEqual([expected[i]]);
    expect(await fixture.rows(text, { snapshot })).toEqual([expected[i]]);
  }
});

test('a statement over tables in memory is bound once for all values, also for numbers of JSON', async () => {
  const ask = (value: bigint) =>
    fixture.rows('SELECT b AS once FROM t WHERE a = $1', { parameters: [{ name: '$1', value }], snapshot });
  await ask(1n);
  await ask(2n);
  const session = await fixture.kernel.session();
  using described = vi.spyOn(Object.getPrototypeOf(session), 'describe');
  await session.close();
  for (let n = 3n; n < 20n; n++) expect(await ask(n)).toEqual([[`x${n}`]]);
  expect(described).not.toHaveBeenCalled();
  expect(await ask(2n ** 64n)).toEqual([]);
  expect(described).toHaveBeenCalled();
});

test('a statement is bound again when its table was replaced', async () => {
  const ask = (value: string) =>
    fixture.rows('SELECT v FROM changing WHERE v = $1', {
      parameters: [{ name: '$1', value, type: LONG }],
      snapshot,
    });
  await fixture.table('changing', 'SELECT i::BIGINT AS v FROM range(50) r(i)');
  await ask('1');
  await fixture.agent.settled();
  for (const value of ['2', '3', '4']) expect(await ask(value)).toEqual([[value]]);
  const [table] = fixture.snapshot
    .relations(fixture.snapshot.schemas(fixture.snapshot.databases()[0]!.id)[0]!.id)
    .filter(({ name }) => name === 'changing');
  fixture.change({ kind: 'drop', id: table!.id });
  await expect(ask('5')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
  await fixture.table('changing', 'SELECT (i + 0.5)::DECIMAL(9, 1) AS v FROM range(50) r(i)');
  expect(await ask('6')).toEqual([]);
});
