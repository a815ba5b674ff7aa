import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DistributedPlan } from '../../distributed-plan.ts';
import { refine } from '../distribute.ts';
import { planDistributed } from '../plan-distributed.ts';
import { planText } from '../plan-text.ts';
import { differenceOf } from '../testing/same-rows.ts';
import { SimulatedCluster } from '../testing/simulated-cluster.ts';

const COLUMNS = ['id', 'k', 'g', 'f', 's'];
let cluster: SimulatedCluster;

beforeAll(async () => {
  cluster = await SimulatedCluster.open();
  for (const [name, rows] of [
    ['a', 400],
    ['b', 60],
  ] as const)
    await cluster.run(`CREATE TABLE managed.${name} AS SELECT
      i::INTEGER AS id,
      (CASE WHEN hash(i) % 9 = 0 THEN NULL ELSE hash(i + 7) % 90 END)::BIGINT AS k,
      (hash(i + 3) % 5)::INTEGER AS g,
      (hash(i + 5) % 40)::DOUBLE AS f,
      'text' || hash(i + 9) % 70 AS s
      FROM range(${rows}) t(i)`);
  await cluster.shard(3);
  await cluster.run('CREATE VIEW managed.few AS SELECT * FROM managed.b WHERE id % 7 < 5');
});
afterAll(() => cluster.close());

/** `a` has many more rows and keys than `b`; neither can be broadcast. */
function options() {
  const usual = { nodes: 3, broadcastLimitBytes: 0, refines: false };
  const { tables } = cluster.planFacts(usual);
  const sized = ([name, facts]: [string, typeof tables extends ReadonlyMap<string, infer F> ? F : never]) => {
    const rows = name === 'a' ? 1e8 : 1e6;
    const distinct = new Map(COLUMNS.map((column) => [column, column === 'g' ? 5 : rows]));
    return [name, { ...facts, rows, bytes: rows * 40, distinct }] as const;
  };
  return { ...usual, tables: new Map([...tables].map(sized)) };
}

/** The columns by which rows are reduced; the rows of the result are also verified. */
async function reduced(sql: string): Promise<readonly string[]> {
  const plan = await cluster.plan(sql, options());
  expect(differenceOf(await cluster.plain(sql), await cluster.execute(plan, options()))).toBeUndefined();
  return plan.stages.flatMap(({ sources }) =>
    sources.flatMap((source) =>
      source.kind === 'scan'
        ? source.dynamicFilters.filter((f) => f.filtersRows).map((f) => `${source.relation}.${f.column}`)
        : [],
    ),
  );
}

test('the stage of the smaller side builds a filter, and the scan of the other side uses it', async () => {
  const sql = 'SELECT a.id, b.id FROM a JOIN few b ON a.k = b.k';
  const plan = await cluster.plan(sql, options());
  const lines = planText(plan).split('\n');
  expect(lines.filter((line) => /^stage|reads/.test(line)).map((line) => line.trim())).toEqual([
    'stage 0; source; hash by k; about 300 thousand rows, 3.72 MiB; summarises k; builds a filter of k',
    'reads b (id, k), source',
    'stage 1; source; hash by k; about 100 million rows, 1.21 GiB; after 0',
    'reads a (k, id), source, where k is not null, reduced by keys of stage 0 (k)',
    'stage 2; hash; about 300 thousand rows, 2.57 MiB',
    'reads stage 1, hash',
    'reads stage 0, hash',
    'reads stage 2, gather',
  ]);
});

describe('rows are left out', () => {
  test.each([
    ['below an inner join', 'SELECT a.id, b.id FROM a JOIN few b ON a.k = b.k', 'a.k'],
    ['by text', 'SELECT a.id, b.id FROM a JOIN few b ON a.s = b.s', 'a.s'],
    ['below a semi join', 'SELECT id FROM a WHERE k IN (SELECT k FROM few b WHERE id > 3)', 'a.k'],
    [
      'of the side of a LEFT JOIN that is not preserved',
      'SELECT b.id, a.id FROM few b LEFT JOIN a ON a.k = b.k',
      'a.k',
    ],
    ['of what an anti join looks for', 'SELECT b.id FROM few b ANTI JOIN a ON a.k = b.k', 'a.k'],
    [
      'below groups by the key',
      'SELECT b.id, n FROM few b JOIN (SELECT k, array_agg(id ORDER BY id) AS n FROM a GROUP BY k) x ON x.k = b.k',
      'a.k',
    ],
    [
      'below a window by the key',
      'SELECT b.id, n FROM few b JOIN (SELECT s, row_number() OVER (PARTITION BY s, g ORDER BY id) AS n FROM a) x ON x.s = b.s',
      'a.s',
    ],
    [
      'in each branch of UNION ALL',
      'SELECT b.id, x.id FROM few b JOIN (SELECT id, k FROM a UNION ALL SELECT g, k FROM a) x ON x.k = b.k',
      'a.k,a.k',
    ],
  ])('%s', async (_, sql, columns) => {
    expect(String(await reduced(sql))).toBe(columns);
  });
});

describe('no rows are left out', () => {
  test.each([
    ['of the preserved side of a LEFT JOIN', 'SELECT a.id, b.id FROM a LEFT JOIN few b ON a.k = b.k'],
    ['of a FULL JOIN', 'SELECT a.id, b.id FROM a FULL JOIN few b ON a.k = b.k'],
    ['that an anti join gives', 'SELECT id FROM a WHERE NOT EXISTS (SELECT 1 FROM few b WHERE a.k = b.k)'],
    ['that NOT IN gives', 'SELECT id FROM a WHERE k NOT IN (SELECT k FROM few b)'],
    ['with NULL that may match', 'SELECT a.id, b.id FROM a JOIN few b ON a.k IS NOT DISTINCT FROM b.k'],
    ['by floating-point keys', 'SELECT a.id, b.id FROM a JOIN few b ON a.f = b.f'],
    ['by keys of different types', 'SELECT a.id, b.id FROM a JOIN few b ON a.k = b.g::DECIMAL(10,1)'],
    ['by keys that most rows have', 'SELECT a.id, b.id FROM a JOIN few b ON a.g = b.g AND a.id < b.id'],
    [
      'below a window by something else',
      'SELECT b.id, n FROM few b JOIN (SELECT k, row_number() OVER (PARTITION BY g ORDER BY id) AS n FROM a) x ON x.k = b.k',
    ],
    [
      'below a limit',
      'SELECT b.id, x.id FROM few b JOIN (SELECT id, k FROM a ORDER BY id LIMIT 90000000) x ON x.k = b.k',
    ],
    [
      'that ASOF JOIN would take as the nearest',
      'SELECT b.id, x.id FROM few b JOIN (SELECT l.id, r.k FROM a l ASOF JOIN (SELECT DISTINCT ON (s, id) s, id, k FROM a) r ON l.s = r.s AND l.id >= r.id) x ON x.k = b.k',
    ],
    [
      'in sets without the key',
      'SELECT b.id, n FROM few b JOIN (SELECT k, g, count(*) AS n FROM a GROUP BY GROUPING SETS ((k), (g))) x ON x.k = b.k',
    ],
  ])('%s', async (_, sql) => {
    expect(await reduced(sql)).toEqual([]);
  });
});

/** Ten rows of `b` have the same key, so that most conditions leave some row of every key. */
function withRepeatedKeys() {
  const { tables, ...rest } = options();
  const b = tables.get('b')!;
  return {
    ...rest,
    tables: new Map([...tables, ['b', { ...b, distinct: new Map([...b.distinct, ['k', 1e5]]) }]]),
  };
}

/** The filters of rows in the plan before anything has run, and in the plan that knows the size of the first stage. */
async function refinedFilters(sql: string, finishedRows: number) {
  const facts = cluster.planFacts(withRepeatedKeys());
  const plan = await planDistributed(await cluster.serialized(sql), facts);
  const built = plan.stages.find(({ output }) => output.filterKeys !== undefined);
  const filtersOf = (one: DistributedPlan) =>
    one.stages.flatMap(({ sources }) =>
      sources.flatMap((source) =>
        source.kind === 'scan' ? source.dynamicFilters.filter((f) => f.filtersRows) : [],
      ),
    );
  if (built === undefined) return { isBuilt: false, before: filtersOf(plan), after: filtersOf(plan) };
  const finished = new Map([[built.id, { rows: finishedRows, bytes: finishedRows * 16 }]]);
  const after = refine(plan, finished, new Set([built.id]), facts);
  return { isBuilt: true, before: filtersOf(plan), after: filtersOf(after) };
}

describe('a side whose size is not certain builds a filter', () => {
  // The estimate is that all keys are left, so that a filter would exclude nothing.
  const sql = "SELECT a.id, x.id FROM a JOIN (SELECT * FROM b WHERE s <> 'text1') x ON a.k = x.k";

  test('that is used if few keys remain', async () => {
    const { isBuilt, before, after } = await refinedFilters(sql, 20_000);
    expect({ isBuilt, before }).toEqual({ isBuilt: true, before: [] });
    expect(after).toMatchObject([{ column: 'k', filtersRows: true }]);
  });

  test('that is not used if most keys remain', async () => {
    expect(await refinedFilters(sql, 950_000)).toEqual({ isBuilt: true, before: [], after: [] });
  });

  test.each([
    [
      'the preserved side',
      "SELECT a.id, x.id FROM a LEFT JOIN (SELECT * FROM b WHERE s <> 'text1') x ON a.k = x.k",
    ],
    ['a side of known size', 'SELECT a.id, x.id FROM a JOIN b x ON a.k = x.k'],
  ])('not for %s', async (_, other) => {
    expect(await refinedFilters(other, 20_000)).toMatchObject({ isBuilt: false, after: [] });
  });

  test('that does not change the result', async () => {
    const given = await cluster.distributed(sql, { ...withRepeatedKeys(), refines: true });
    expect(differenceOf(await cluster.plain(sql), given)).toBeUndefined();
  });
});

test('the proof detects a filter that must not exist', async () => {
  const sql = 'SELECT a.id, b.id FROM a LEFT JOIN few b ON a.k = b.k';
  const plan = await cluster.plan(sql, options());
  const builds = plan.stages.findIndex(({ sources }) =>
    sources.some((source) => source.kind === 'scan' && source.relation === 'b'),
  );
  const { id: stage, output } = plan.stages[builds]!;
  const filter = { column: 'k', stage, key: output.hashKeys[0]!, filtersRows: true };
  const broken = plan.stages.map((one) => ({
    ...one,
    after: one.sources.some((source) => source.kind === 'scan' && source.relation === 'a')
      ? [stage]
      : one.after,
    sources: one.sources.map((source) =>
      source.kind === 'scan' && source.relation === 'a' ? { ...source, dynamicFilters: [filter] } : source,
    ),
  }));
  const given = await cluster.execute({ ...plan, stages: broken }, options());
  expect(differenceOf(await cluster.plain(sql), given)).toMatch(/rows in place of/);
});
