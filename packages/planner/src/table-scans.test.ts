import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kernel, type KernelSession, startKernel } from '@tessera/kernel';
import { kernelBootstrap, MANAGED_SCHEMA } from '@tessera/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mirrorBootstrap, PLAN_SQL, type TableScan, tableScans } from './index.ts';

const TPCH = join(
  process.env.TESSERA_TEST_DATA ?? join(import.meta.dirname, '../../../../shared/data'),
  'tpch',
);

let directory: string;
let mirror: Kernel;
let session: KernelSession;

const TABLES: Readonly<Record<string, string>> = {
  t: 'a INTEGER, b VARCHAR, c DATE, d DECIMAL(15,2), ts TIMESTAMP, tz TIMESTAMPTZ, f DOUBLE, big BIGINT, flag BOOLEAN, l INTEGER[]',
  u: 'a INTEGER, x VARCHAR, y INTEGER',
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'planner-test-'));
  const silent = () => undefined;
  mirror = await startKernel({
    directory: join(directory, 'mirror'),
    readableDirectories: [TPCH],
    memoryLimitBytes: 5e8,
    threads: 1,
    bootstrap: [...kernelBootstrap, ...mirrorBootstrap],
    definesRelations: true,
    log: { info: silent, warn: silent, error: silent },
  });
  session = await mirror.session({ timeZone: 'UTC' });
  for (const [name, columns] of Object.entries(TABLES))
    await session.execute(`CREATE TABLE ${MANAGED_SCHEMA}.${name} (${columns})`);
  await session.defineRelation('defined', columnsIn(TABLES.t!), 1_000_000);
});
afterAll(async () => {
  await mirror.close();
  rmSync(directory, { recursive: true });
});

const columnsIn = (list: string) =>
  list.split(/, (?=[a-z])/).map((column) => {
    const [name = '', type = ''] = column.split(' ');
    return { name, type };
  });

async function scansOf(sql: string): Promise<readonly TableScan[]> {
  const managed = sql.replace(/\b(FROM|JOIN|,) ([tu])\b/g, `$1 ${MANAGED_SCHEMA}.$2`);
  const plan = await session.scalar(PLAN_SQL, [managed]);
  return tableScans(String(plan));
}

async function columnsOf(sql: string): Promise<Record<string, readonly string[]>> {
  const scans = await scansOf(sql);
  return Object.fromEntries(scans.map(({ relation, columns }) => [relation, [...columns].sort()]));
}

const COLUMNS: readonly (readonly [sql: string, columns: Record<string, readonly string[]>])[] = [
  ['SELECT a FROM t', { t: ['a'] }],
  ['SELECT count(*) FROM t', { t: [] }],
  ['SELECT a FROM (SELECT * FROM t)', { t: ['a'] }],
  ['SELECT a FROM (SELECT * FROM t) WHERE b > c::VARCHAR', { t: ['a', 'b', 'c'] }],
  ["SELECT a FROM (SELECT * FROM t WHERE c > DATE '2020-01-01')", { t: ['a', 'c'] }],
  ['SELECT s FROM (SELECT a, sum(d) AS s, max(b) AS m FROM t GROUP BY a)', { t: ['a', 'd'] }],
  ['SELECT x FROM (SELECT * FROM t JOIN u USING (a))', { t: ['a'], u: ['a', 'x'] }],
  [
    'SELECT b FROM (SELECT * FROM t LEFT JOIN u USING (a) ORDER BY c LIMIT 5)',
    { t: ['a', 'b', 'c'], u: ['a'] },
  ],
  [
    'SELECT b FROM t WHERE EXISTS (SELECT * FROM u WHERE u.a = t.a AND u.x <> t.f::VARCHAR)',
    { t: ['a', 'b', 'f'], u: ['a', 'x'] },
  ],
  ['SELECT a FROM t WHERE a NOT IN (SELECT y FROM u)', { t: ['a'], u: ['y'] }],
  ['SELECT a, (SELECT max(y) FROM u WHERE u.a = t.a) FROM t', { t: ['a'], u: ['a', 'y'] }],
  ['SELECT n FROM (SELECT *, row_number() OVER (PARTITION BY b ORDER BY c) AS n FROM t)', { t: ['b', 'c'] }],
  ['SELECT a FROM (SELECT a, b FROM t UNION ALL SELECT a, x FROM u)', { t: ['a'], u: ['a'] }],
  ['SELECT a FROM (SELECT a, b FROM t UNION SELECT a, x FROM u)', { t: ['a', 'b'], u: ['a', 'x'] }],
  ['SELECT DISTINCT a FROM (SELECT * FROM t)', { t: ['a'] }],
  ['SELECT DISTINCT ON (a) b FROM t ORDER BY a, c', { t: ['a', 'b', 'c'] }],
  ['SELECT unnest(l) FROM (SELECT * FROM t)', { t: ['l'] }],
  ['SELECT list_transform(l, lambda v: v + a) FROM t', { t: ['a', 'l'] }],
  [
    'WITH x AS MATERIALIZED (SELECT a, b FROM t) SELECT x1.a FROM x x1, x x2 WHERE x1.b = x2.b',
    { t: ['a', 'b'] },
  ],
  [
    'WITH RECURSIVE r AS (SELECT a, y FROM u UNION ALL SELECT u.a, u.y FROM u JOIN r ON u.a = r.y) SELECT a FROM r',
    { u: ['a', 'y'] },
  ],
  ['SELECT t.a FROM t, u WHERE t.a < u.a', { t: ['a'], u: ['a'] }],
  ['SELECT t.a FROM t LEFT JOIN u ON t.a < u.a AND u.x > t.b', { t: ['a', 'b'], u: ['a', 'x'] }],
  ['SELECT a FROM t WHERE false', {}],
  ['SELECT a, grouping(a) FROM t GROUP BY ROLLUP (a, b)', { t: ['a', 'b'] }],
  ['SELECT a FROM t QUALIFY row_number() OVER (ORDER BY d) = 1', { t: ['a', 'd'] }],
  ['SELECT a FROM t ORDER BY b LIMIT 3', { t: ['a', 'b'] }],
  ['SELECT t.a FROM t ASOF JOIN u ON t.b = u.x AND t.a >= u.a', { t: ['a', 'b'], u: ['a', 'x'] }],
  ["PIVOT (SELECT b, a, d FROM t) ON b IN ('p', 'q') USING sum(a)", { t: ['a', 'b', 'd'] }],
];

test.for(COLUMNS)('%s', async ([sql, columns]) => {
  expect(await columnsOf(sql)).toEqual(columns);
});

const FILTERS: readonly (readonly [condition: string, filter: unknown])[] = [
  ['a = 5', [{ kind: 'compare', column: 'a', operator: '=', value: '5' }]],
  ['5 < a', [{ kind: 'compare', column: 'a', operator: '>', value: '5' }]],
  ['a <> 5', [{ kind: 'compare', column: 'a', operator: '<>', value: '5' }]],
  ["b >= 'x'", [{ kind: 'compare', column: 'b', operator: '>=', value: 'x' }]],
  ["c < DATE '1969-12-31'", [{ kind: 'compare', column: 'c', operator: '<', value: '1969-12-31' }]],
  ['d = 1.5', [{ kind: 'compare', column: 'd', operator: '=', value: '1.50' }]],
  ['d > -0.05', [{ kind: 'compare', column: 'd', operator: '>', value: '-0.05' }]],
  [
    "ts <= '2020-01-02 03:04:05.6'",
    [{ kind: 'compare', column: 'ts', operator: '<=', value: '2020-01-02 03:04:05.6' }],
  ],
  [
    "ts = '1960-01-02 03:04:05'",
    [{ kind: 'compare', column: 'ts', operator: '=', value: '1960-01-02 03:04:05' }],
  ],
  [
    "tz > '2020-01-01 00:00:00+02'::TIMESTAMPTZ",
    [{ kind: 'compare', column: 'tz', operator: '>', value: '2019-12-31 22:00:00+00' }],
  ],
  ["f < 'nan'::DOUBLE", [{ kind: 'compare', column: 'f', operator: '<', value: 'nan' }]],
  ['f > 1e300', [{ kind: 'compare', column: 'f', operator: '>', value: '1e+300' }]],
  ['big = 9007199254740993', [{ kind: 'compare', column: 'big', operator: '=', value: '9007199254740993' }]],
  ['a IS NULL', [{ kind: 'null', column: 'a', isNull: true }]],
  ['a IS NOT NULL', [{ kind: 'null', column: 'a', isNull: false }]],
  [
    "b IN ('x', 'z')",
    [
      {
        kind: 'or',
        branches: ['x', 'z'].map((value) => [{ kind: 'compare', column: 'b', operator: '=', value }]),
      },
    ],
  ],
  [
    'a BETWEEN 5 AND 7',
    [
      { kind: 'compare', column: 'a', operator: '>=', value: '5' },
      { kind: 'compare', column: 'a', operator: '<=', value: '7' },
    ],
  ],
  [
    "c > '2020-01-01' AND c < '2021-01-01'",
    [
      { kind: 'compare', column: 'c', operator: '>', value: '2020-01-01' },
      { kind: 'compare', column: 'c', operator: '<', value: '2021-01-01' },
    ],
  ],
  ['a BETWEEN 5 AND l[1]', [{ kind: 'compare', column: 'a', operator: '>=', value: '5' }]],
  ['a NOT BETWEEN 5 AND 7', []],
  ["b LIKE 'é%'", [{ kind: 'compare', column: 'b', operator: '>=', value: 'é' }]],
  ["b LIKE '%ab'", []],
  ['a % 2 = 0', []],
  ['a = 1 OR b::INTEGER = 2', []],
  [
    "b LIKE 'ab%'",
    [
      { kind: 'compare', column: 'b', operator: '>=', value: 'ab' },
      { kind: 'compare', column: 'b', operator: '<', value: 'ac' },
    ],
  ],
];

// Statements are planned over defined relations, whose conditions stay above the scan.
test.for(FILTERS)('WHERE %s', async ([condition, filter]) => {
  const [scan] = await scansOf(`SELECT * FROM ${MANAGED_SCHEMA}.defined AS t WHERE ${condition}`);
  expect(scan?.filters).toHaveLength(1);
  const found = scan!.filters[0]!;
  if (Array.isArray(filter) && filter.length === 0) expect(found).toEqual([]);
  else expect(found).toEqual(expect.arrayContaining(filter as unknown[]));
});

test('every reference to a table has its own filters', async () => {
  const [scan] = await scansOf("SELECT 1 FROM t AS x, t AS y WHERE x.a = 1 AND y.b > 'q'");
  expect(scan?.filters).toHaveLength(2);
});

test('a condition on another table of a join is not used for this table', async () => {
  const scans = await scansOf('SELECT * FROM t LEFT JOIN u ON t.a = u.a AND u.y > 3');
  expect(scans.find(({ relation }) => relation === 't')?.filters).toEqual([[]]);
});

describe.skipIf(!existsSync(TPCH))('TPC-H (skipped where the test data is absent)', () => {
  const queries = Array.from({ length: 22 }, (_, i) => `q${String(i + 1).padStart(2, '0')}`);
  const names = ['customer', 'lineitem', 'nation', 'orders', 'part', 'partsupp', 'region', 'supplier'];

  beforeAll(async () => {
    for (const name of names) {
      const file = join(TPCH, 'sf0.01', `${name}.parquet`);
      await session.execute(
        `CREATE TABLE ${MANAGED_SCHEMA}.${name} AS SELECT * FROM read_parquet('${file}') LIMIT 0`,
      );
    }
  });

  test.each(queries)('%s reads the columns that its text names', async (name) => {
    const text = readFileSync(join(TPCH, 'queries', `${name}.sql`), 'utf8');
    const sql = text.replace(
      new RegExp(`(FROM|JOIN|,)(\\s+)(${names.join('|')})\\b`, 'gi'),
      `$1$2${MANAGED_SCHEMA}.$3`,
    );
    const scans = await columnsOf(sql);
    const read = Object.values(scans).flat().sort();
    const named = new Set(text.match(/\b(?:[clnorps]|ps)_[a-z]+\b/g));
    expect(read.filter((column) => !named.has(column))).toEqual([]);
    expect([...named].filter((column) => !read.includes(column) && !MADE_BY_QUERIES.has(column))).toEqual([]);
  });
});

/** Names that the queries give to result columns. */
const MADE_BY_QUERIES = new Set(['o_year', 'l_year', 'c_count', 'c_orders']);
