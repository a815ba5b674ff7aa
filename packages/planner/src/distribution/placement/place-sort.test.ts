import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DistributedPlan } from '../../distributed-plan.ts';
import { readPlan } from '../../relational/reading/read-plan.ts';
import { distribute } from '../distribute.ts';
import { differenceOf } from '../testing/same-rows.ts';
import { SimulatedCluster, type SimulatedOptions } from '../testing/simulated-cluster.ts';

const OPTIONS: SimulatedOptions = { nodes: 3, wholeTableBytes: 0 };
let cluster: SimulatedCluster;
let large: SimulatedOptions;

beforeAll(async () => {
  cluster = await SimulatedCluster.open();
  await cluster.run(`CREATE TABLE managed.a AS SELECT
    i AS id, nullif(hash(i) % 7, 0)::INTEGER AS k, chr(97 + (hash(i + 1) % 20)::INTEGER) AS s FROM range(500) t(i)`);
  await cluster.shard(3);
  const tables = [...cluster.planFacts(OPTIONS).tables].map(([name, facts]) => {
    const distinct = new Map([...facts.distinct, ['id', 1e7] as const]);
    return [name, { ...facts, rows: 1e7, bytes: 1e9, distinct }] as const;
  });
  large = { ...OPTIONS, tables: new Map(tables) };
});
afterAll(() => cluster.close());

/** Whether the result is merged from sorted rows of several tasks. */
function isMerged({ stages }: DistributedPlan): boolean {
  const root = stages.at(-1)!;
  const sorted = stages.filter(({ output }) => output.sortKey !== undefined);
  expect(root.mergesSorted === true).toBe(sorted.length === 1);
  if (sorted.length === 0) return false;
  const [{ id, output }] = sorted as [DistributedPlan['stages'][number]];
  expect(root.sources).toEqual([{ kind: 'exchange', stage: id, mode: 'gather' }]);
  expect(output.columns[output.sortKey!]!.type).toBe('BLOB');
  expect(output.hashKeys).toEqual([]);
  return true;
}

describe.each<[merged: boolean, sql: string]>([
  [true, 'SELECT * FROM a ORDER BY id'],
  [true, 'SELECT s, id + 1 AS n FROM a WHERE id > 20 ORDER BY k DESC NULLS FIRST, id DESC'],
  [true, 'SELECT id FROM a ORDER BY lower(s), k NULLS FIRST, id'],
  [true, 'SELECT id, count(*) AS n FROM a GROUP BY id ORDER BY n, id'],
  [true, 'SELECT DISTINCT id, s FROM a ORDER BY s, id'],
  [true, 'SELECT * FROM (SELECT * FROM a ORDER BY s, id) WHERE id % 2 = 0'],
  [false, 'SELECT * FROM a ORDER BY id LIMIT 10 OFFSET 3'],
  [false, 'SELECT * FROM a ORDER BY id LIMIT 2000000 OFFSET 3'],
  [false, 'SELECT k, count(*) AS n FROM a GROUP BY k ORDER BY k'],
  [false, 'SELECT id FROM a UNION ALL SELECT k FROM a ORDER BY 1'],
  [false, 'SELECT id, row_number() OVER () AS n FROM (SELECT id FROM a ORDER BY id) ORDER BY id'],
])('merged %s: %s', (merged, sql) => {
  test('the plan says so, and keeps saying so when it is refined', async () => {
    const plan = await cluster.plan(sql, large);
    expect(isMerged(plan)).toBe(merged);
    const rows = await cluster.execute(plan, large);
    expect(differenceOf(await cluster.plain(sql), rows)).toBeUndefined();
    if (/ORDER BY .*\bid\b/.test(sql)) expect(rows.rows).toEqual((await cluster.plain(sql)).rows);
  });
});

test('few rows are sorted once', async () => {
  expect(isMerged(await cluster.plan('SELECT * FROM a ORDER BY id', OPTIONS))).toBe(false);
});

test('a result that is stored is not merged for a client', async () => {
  const facts = cluster.planFacts(large);
  const stored = { ...facts, cluster: { ...facts.cluster, storesResult: true } };
  const serialized = await cluster.serialized('SELECT * FROM a ORDER BY id');
  expect(isMerged(distribute(await readPlan(serialized), facts))).toBe(true);
  expect(isMerged(distribute(await readPlan(serialized), stored))).toBe(false);
});
