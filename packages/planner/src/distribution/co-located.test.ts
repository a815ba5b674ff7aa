import { afterAll, beforeAll, expect, test } from 'vitest';
import { differenceOf } from './testing/same-rows.ts';
import { SimulatedCluster } from './testing/simulated-cluster.ts';

/** No table is small, and no exchange is cheap. */
const OPTIONS = { nodes: 3, wholeTableBytes: 0, gatherLimitRows: 10, refines: false };
const key = { column: 'k', domain: 'keys' };

let cluster: SimulatedCluster;

beforeAll(async () => {
  cluster = await SimulatedCluster.open();
  for (const [name, keys] of [
    ['a', 'CASE WHEN i % 17 = 0 THEN NULL ELSE hash(i) % 300 END'],
    ['b', 'CASE WHEN i % 23 = 0 THEN NULL ELSE hash(i + 1) % 200 + 50 END'],
    ['other', 'hash(i + 2) % 300'],
  ])
    await cluster.run(
      `CREATE TABLE managed.${name} AS SELECT (${keys})::INTEGER AS k, i AS id, hash(i + 7) % 40 AS v FROM range(900) t(i)`,
    );
  await cluster.shard(
    3,
    undefined,
    new Map([
      ['a', key],
      ['b', key],
    ]),
  );
});
afterAll(() => cluster.close());

/** The exchanges of a plan, except the one of the result. */
async function exchangesOf(sql: string): Promise<readonly string[]> {
  const plan = await cluster.plan(sql, { ...OPTIONS, tables: large() });
  return plan.stages
    .slice(0, -1)
    .flatMap(({ sources }) => sources.flatMap((source) => (source.kind === 'exchange' ? [source.mode] : [])));
}

function large() {
  const { tables } = cluster.planFacts(OPTIONS);
  const distinct = new Map(['id', 'k', 'v'].map((name) => [name, 1e8]));
  return new Map([...tables].map(([name, facts]) => [name, { ...facts, rows: 1e9, bytes: 1e10, distinct }]));
}

test.each([
  'SELECT count(*), sum(a.v * b.v) FROM a JOIN b ON a.k = b.k',
  'SELECT a.k, a.id, b.id FROM a LEFT JOIN b ON a.k = b.k AND a.v > b.v',
  'SELECT a.k, a.id, b.id FROM a RIGHT JOIN b ON a.k = b.k AND a.v > b.v',
  'SELECT a.k, a.id, b.k, b.id FROM a FULL JOIN b ON a.k = b.k',
  'SELECT a.k, a.id, b.id FROM a JOIN b ON a.k IS NOT DISTINCT FROM b.k AND a.v = b.v',
  'SELECT * FROM a SEMI JOIN b ON a.k = b.k AND a.v < b.v',
  'SELECT * FROM a ANTI JOIN b ON a.k = b.k AND a.v < b.v',
  'SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.v <> a.v)',
  'SELECT * FROM a WHERE k IN (SELECT k FROM b GROUP BY k HAVING sum(v) > 60)',
  'SELECT k, v, count(*), sum(id) FROM a GROUP BY k, v',
  'SELECT k, count(DISTINCT v), median(id) FROM a GROUP BY k',
  'SELECT a.k, sum(b.v) FROM a JOIN b ON a.k = b.k GROUP BY a.k HAVING count(*) > 3',
  'SELECT DISTINCT k, v FROM a',
  'SELECT DISTINCT ON (k) k, id FROM a ORDER BY k, id',
  'SELECT k, id, row_number() OVER (PARTITION BY k ORDER BY id), sum(v) OVER (PARTITION BY k, v) FROM a',
  'SELECT k, v FROM a INTERSECT SELECT k, v FROM b',
  'SELECT k, v FROM a EXCEPT ALL SELECT k, v FROM b',
  'SELECT k, count(*) FROM (SELECT k, v FROM a UNION ALL SELECT k, id FROM b) GROUP BY k',
  'SELECT x.k, count(*) FROM (SELECT k, max(v) AS m FROM a GROUP BY k) x JOIN b ON x.k = b.k AND m < b.v GROUP BY x.k',
])('no row moves before the result: %s', async (sql) => {
  expect((await exchangesOf(sql)).filter((mode) => mode !== 'gather')).toEqual([]);
  const given = await cluster.distributed(sql, OPTIONS);
  expect(differenceOf(await cluster.plain(sql), given)).toBeUndefined();
});

test.each([
  `WITH x AS MATERIALIZED (SELECT a.k, a.id, max(b.v) AS v FROM a JOIN b ON a.k = b.k GROUP BY a.k, a.id)
   SELECT x.k, count(*) FROM x JOIN b ON x.k = b.k AND x.v < b.v WHERE NOT EXISTS (SELECT 1 FROM x y WHERE y.k = x.k AND y.v > x.v)
   GROUP BY x.k`,
  `WITH x AS MATERIALIZED (SELECT k, id, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM a)
   SELECT k, n, id FROM x WHERE n > 2 EXCEPT SELECT k, n, min(id) FROM x GROUP BY k, n HAVING count(*) > 1`,
])('rows that several read stay where they are: %s', async (sql) => {
  expect([...new Set((await exchangesOf(sql)).filter((mode) => mode !== 'gather'))]).toEqual(['forward']);
  for (const refines of [false, true]) {
    const given = await cluster.distributed(sql, { ...OPTIONS, refines });
    expect(differenceOf(await cluster.plain(sql), given)).toBeUndefined();
  }
});

test.each([
  // The rows of b without a match have no key of a, and those of other tables are elsewhere.
  'SELECT a.k, count(*) FROM a RIGHT JOIN b ON a.k = b.k GROUP BY a.k',
  'SELECT a.k, count(*) FROM a FULL JOIN b ON a.k = b.k GROUP BY a.k',
  'SELECT count(*) FROM a JOIN other ON a.k = other.k',
  'SELECT count(*) FROM a JOIN b ON a.k = b.v',
  'SELECT count(*) FROM a JOIN b ON a.k + 1 = b.k',
  'SELECT v, median(id) FROM a GROUP BY v',
  'SELECT k, v FROM a EXCEPT SELECT v, k FROM b',
  'SELECT x.k, count(*) FROM (SELECT k % 7 AS k, v FROM a) x GROUP BY x.k, v',
])('rows that are not together move: %s', async (sql) => {
  expect((await exchangesOf(sql)).length).toBeGreaterThan(0);
  const given = await cluster.distributed(sql, OPTIONS);
  expect(differenceOf(await cluster.plain(sql), given)).toBeUndefined();
});

test('EXPLAIN names the keys that co-locate a join', async () => {
  const plan = await cluster.plan('SELECT a.id, b.id FROM a JOIN b ON b.k = a.k', {
    ...OPTIONS,
    tables: large(),
  });
  expect(plan.stages[0]!.outline().join('\n')).toMatch(/join on k = k co-located by k/);
  expect(plan.stages[0]!.sources).toMatchObject([{ keyDomain: 'keys' }, { keyDomain: 'keys' }]);
});

/** `a` and `b` are much larger than `other`, which every task may read whole. */
function withReplicatedOther() {
  const options = { ...OPTIONS, wholeTableBytes: 2 ** 40, broadcastLimitBytes: 0 };
  const sized = [...large()].map(
    ([name, facts]) =>
      [name, name === 'other' ? { ...facts, rows: 1e7, bytes: 1e8 } : { ...facts, bytes: 1e13 }] as const,
  );
  return { ...options, tables: new Map(sized) };
}

/** The columns by which tasks read only the rows with their own keys; the rows of the result are also verified. */
async function limitedTo(sql: string): Promise<readonly string[]> {
  const options = withReplicatedOther();
  const plan = await cluster.plan(sql, options);
  expect(differenceOf(await cluster.plain(sql), await cluster.execute(plan, options))).toBeUndefined();
  expect(
    differenceOf(await cluster.plain(sql), await cluster.distributed(sql, { ...options, refines: true })),
  ).toBeUndefined();
  return plan.stages.flatMap(({ sources }) =>
    sources.flatMap((source) =>
      source.kind === 'scan' && source.withinKeys !== undefined
        ? `${source.relation}.${source.withinKeys.column}`
        : [],
    ),
  );
}

test.each([
  [
    'SELECT a.k, count(other.id) FROM a LEFT JOIN other ON a.k = other.k AND other.v > 3 GROUP BY a.k',
    'other.k',
  ],
  ['SELECT a.id, x.id FROM a JOIN (SELECT k, id FROM other WHERE v <> 3) x ON a.k = x.k', 'other.k'],
  ['SELECT * FROM a ANTI JOIN other ON a.k = other.k', 'other.k'],
  ['SELECT * FROM a WHERE EXISTS (SELECT 1 FROM other WHERE other.k = a.k AND other.v <> a.v)', 'other.k'],
  [
    'SELECT a.id, b.id, other.id FROM a JOIN b ON a.k = b.k JOIN other ON other.k = b.k AND other.id < 500',
    'other.k',
  ],
  [
    'SELECT x.k, sum(x.n), count(other.id) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) x LEFT JOIN other ON x.k = other.k GROUP BY x.k',
    'other.k',
  ],
])('a task reads of a whole table only what its own keys meet: %s', async (sql, column) => {
  expect(await limitedTo(sql)).toEqual([column]);
});

test.each([
  // NULL would be lost, or which rows of the table have no match.
  'SELECT a.id, other.id FROM a JOIN other ON a.k IS NOT DISTINCT FROM other.k',
  'SELECT a.id, a.k IN (SELECT k FROM other) FROM a',
  // The key of a row says nothing about this column.
  'SELECT a.id, other.id FROM a JOIN other ON a.v = other.k',
  'SELECT a.id, other.id FROM a JOIN other ON a.k < other.k AND a.id = other.v',
  // Another task may have the first rows.
  'SELECT a.id, x.id FROM a JOIN (SELECT k, id FROM other ORDER BY id LIMIT 50) x ON a.k = x.k',
])('a task reads all of the table: %s', async (sql) => {
  expect(await limitedTo(sql)).toEqual([]);
});

/** The number of times that a plan reads each table. */
async function scansOf(sql: string): Promise<readonly string[]> {
  const options = { ...OPTIONS, tables: large() };
  const plan = await cluster.plan(sql, options);
  for (const refines of [false, true]) {
    const given = await cluster.distributed(sql, { ...options, refines });
    expect(differenceOf(await cluster.plain(sql), given)).toBeUndefined();
  }
  return plan.stages.flatMap(({ sources }) =>
    sources.flatMap((source) => (source.kind === 'scan' ? [source.relation] : [])),
  );
}

test.each([
  'SELECT id FROM a WHERE v > 5 AND EXISTS (SELECT 1 FROM b WHERE b.k = a.k)',
  'SELECT id FROM a WHERE v > 5 AND NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.v <> a.v)',
  'SELECT id FROM a WHERE v > 5 AND NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.v < a.v AND b.id > 100)',
  'SELECT id FROM a WHERE v > 5 AND EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.v IS DISTINCT FROM a.v)',
  'SELECT id FROM a WHERE v > 5 AND EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.v + a.v > 50)',
  'SELECT count(*), sum(id) FROM a WHERE v < 30 AND NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND (b.v > a.v OR b.v = 3))',
])('a correlated EXISTS reads each table once: %s', async (sql) => {
  expect([...(await scansOf(sql))].sort()).toEqual(['a', 'b']);
});

test.each([
  // Rows of the subquery are elsewhere, so only those with keys of the outer rows should move.
  'SELECT id FROM a WHERE v > 5 AND EXISTS (SELECT 1 FROM other WHERE other.k = a.k AND other.v <> a.v)',
  'SELECT id FROM a WHERE v > 5 AND EXISTS (SELECT 1 FROM b WHERE b.v = a.v AND b.id <> a.id)',
  // One row of the subquery counts for several outer rows.
  'SELECT id FROM a WHERE v > 5 AND v < (SELECT max(v) FROM b WHERE b.k = a.k)',
  'SELECT id FROM a WHERE v > 5 AND EXISTS (SELECT b.v FROM b WHERE b.k = a.k GROUP BY b.v HAVING count(*) > 1)',
])('a subquery keeps the keys of the outer rows: %s', async (sql) => {
  expect((await scansOf(sql)).length).toBeGreaterThanOrEqual(2);
});
