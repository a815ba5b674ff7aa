import { afterAll, beforeAll, expect, test } from 'vitest';
import { SimulatedCluster } from '../../testing/simulated-cluster.ts';
import { CHOICE_PRICES, COST_CONSTANTS, PROGRESS_PRICES } from './cost-constants.ts';

const ROWS = 1e7;
const OPTIONS = { nodes: 3, gatherLimitRows: 1_000_000 };

let cluster: SimulatedCluster;

beforeAll(async () => {
  cluster = await SimulatedCluster.open();
  await cluster.run(
    `CREATE TABLE managed.facts AS SELECT i AS id, i % 90 AS k, 'text ' || i AS s, 'other ' || i AS u FROM range(2000) t(i)`,
  );
  await cluster.run(
    `CREATE TABLE managed.dims AS SELECT i AS id, i % 50 AS k, 'text ' || i AS s FROM range(2000) t(i)`,
  );
  await cluster.shard(3);
});
afterAll(() => cluster.close());

/** The CPU time that the progress expects of the stages that read tables, in milliseconds. */
async function expectedMs(sql: string, dimRows = 1e6): Promise<number> {
  const { tables } = cluster.planFacts(OPTIONS);
  const grown = new Map(
    [...tables].map(([name, facts]) => {
      const rows = name === 'facts' ? ROWS : dimRows;
      return [name, { ...facts, rows, bytes: rows * 40, distinct: new Map([['id', rows]]) }];
    }),
  );
  const { stages } = await cluster.plan(sql, { ...OPTIONS, tables: grown });
  return stages.reduce((sum, { estimate }) => sum + (estimate.cpuMs ?? 0), 0);
}

test('plans are chosen by the constants of the cost model only', () => {
  expect(CHOICE_PRICES).toMatchObject(COST_CONSTANTS);
  expect(CHOICE_PRICES.findRow).toBe(COST_CONSTANTS.filterRow);
  expect(CHOICE_PRICES.missRow).toBe(COST_CONSTANTS.probeRow);
});

test('a condition that looks for a text takes longer than one that compares numbers', async () => {
  const compared = await expectedMs(`SELECT max(s) FROM facts WHERE k = 7`);
  const found = await expectedMs(`SELECT max(s) FROM facts WHERE contains(s, '77')`);
  expect(found - compared).toBeGreaterThan((0.9 * ROWS * PROGRESS_PRICES.findRow) / 1000);
});

test('a hash table of texts takes longer than one of numbers', async () => {
  const join = (columns: string) =>
    expectedMs(`SELECT count(*), ${columns} FROM facts f JOIN dims d ON f.id = d.id`);
  const [numbers, texts] = [await join('max(d.k)'), await join('max(d.s)')];
  expect(texts - numbers).toBeGreaterThan((0.9 * 1e6 * PROGRESS_PRICES.buildText) / 1000);
});

test('a join with few keys takes less time for the rows that have none of them', async () => {
  const join = (dimRows: number) =>
    expectedMs(`SELECT count(*) FROM facts f JOIN dims d ON f.id = d.id`, dimRows);
  // All rows are looked up where the hash table is large.
  expect((await join(2e5)) - (await join(5e4))).toBeGreaterThan(
    (0.5 * ROWS * COST_CONSTANTS.probeRow) / 1000,
  );
});
