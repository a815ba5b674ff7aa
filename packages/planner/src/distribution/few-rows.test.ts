import { afterAll, beforeAll, expect, test } from 'vitest';
import { refine } from './distribute.ts';
import { COST_CONSTANTS } from './placement/cost/cost-constants.ts';
import { SimulatedCluster } from './testing/simulated-cluster.ts';

const OPTIONS = { nodes: 3, gatherLimitRows: 1_000_000 };
/** A query with three exchanges if it reads many rows. */
const SQL = `
  SELECT n, count(*) FROM (
    SELECT a.id % 50 AS m, count(DISTINCT b.v) AS n FROM a JOIN b ON a.k = b.k GROUP BY ALL
  ) GROUP BY n ORDER BY n`;

let cluster: SimulatedCluster;

beforeAll(async () => {
  cluster = await SimulatedCluster.open();
  for (const name of ['a', 'b'])
    await cluster.run(
      `CREATE TABLE managed.${name} AS SELECT i AS id, hash(i) % 70 AS k, hash(i + 1) % 90 AS v FROM range(2000) t(i)`,
    );
  await cluster.shard(3);
});
afterAll(() => cluster.close());

/** The plan, and how it goes on after all stages that read tables have finished with this many bytes each. */
async function planned() {
  const options = { ...OPTIONS, tables: many() };
  const plan = await cluster.plan(SQL, options);
  const scans = plan.stages.filter(({ sources }) => sources.some(({ kind }) => kind === 'scan'));
  const after = (bytes: number, from = plan) => {
    const finished = new Map(scans.map(({ id }) => [id, { rows: bytes / 16, bytes }]));
    return refine(from, finished, new Set(finished.keys()), cluster.planFacts(options));
  };
  const scanned = new Set(scans.map(({ id }) => id));
  const left = (bytes: number) => after(bytes).stages.filter(({ id }) => !scanned.has(id));
  return { plan, after, left };
}

function many() {
  const { tables } = cluster.planFacts(OPTIONS);
  const grown = { rows: 1e8, bytes: 1e9, distinct: new Map(['id', 'k', 'v'].map((name) => [name, 1e8])) };
  return new Map([...tables].map(([name, facts]) => [name, { ...facts, ...grown }]));
}

test('few rows are finished in the session of the query', async () => {
  expect((await planned()).left(100_000)).toHaveLength(1);
});

test('many rows are not finished in the session of the query', async () => {
  expect((await planned()).left(1e9).length).toBeGreaterThan(1);
});

test('a stage is expected to take as long as its actual rows need to be moved', async () => {
  const { plan, left } = await planned();
  const [bytes, rows] = [1e9, 1e9 / 16];
  // The estimate of the plan is larger than the actual rows.
  const before = plan.stages.find(({ id }) => id === left(bytes)[0]!.id)!.estimate.cpuMs!;
  const after = left(bytes)[0]!.estimate.cpuMs!;
  expect(after).toBeLessThan(before);
  const twice = left(2 * bytes)[0]!.estimate.cpuMs!;
  const moved = rows * COST_CONSTANTS.moveRow + bytes * COST_CONSTANTS.moveByte;
  expect(twice - after).toBeGreaterThan(moved / 1000);
});

test('a plan is refined only once for similar sizes', async () => {
  const { plan, after } = await planned();
  const refined = after(1e9);
  expect(refined).not.toBe(plan);
  expect(after(1.001e9)).toBe(refined);
  expect(after(2e9)).not.toBe(refined);
});

test('a plan of which only the root is left stays as it is if the root reads few rows', async () => {
  const { after } = await planned();
  const few = after(100_000);
  expect(after(100_000, few)).toBe(few);
  expect(after(1e9, few)).not.toBe(few);
});

test.each([
  ['sum(v), count(*), avg(v), min(id) FILTER (WHERE v > 3) FROM a WHERE k < 10', true],
  ['count(*) FROM a', true],
  ['k, sum(v) FROM a GROUP BY k', false],
  ['count(DISTINCT v) FROM a', false],
  ['sum(a.v) FROM a JOIN b ON a.k = b.k', false],
  ['sum(v) FROM (SELECT v FROM a ORDER BY id LIMIT 100000)', false],
])('the tasks of SELECT %s hold no rows after they have run: %s', async (query, expected) => {
  const { stages } = await cluster.plan(`SELECT ${query}`, { ...OPTIONS, tables: many() });
  const scans = stages.filter(({ sources }) => sources.some(({ kind }) => kind === 'scan'));
  expect(scans.length).toBeGreaterThan(0);
  expect(scans.some(({ holdsNoRows }) => holdsNoRows === true)).toBe(expected);
});
