import { afterAll, beforeAll, expect, test } from 'vitest';
import { differenceOf } from '../testing/same-rows.ts';
import { SimulatedCluster } from '../testing/simulated-cluster.ts';

/** All tables together fit into the memory of the nodes together, but not into that of one node. */
const OPTIONS = { nodes: 5, wholeTableBytes: 2 ** 50, broadcastLimitBytes: 2_000 };
const LARGE = { rows: 8e7, bytes: 5e9 };
const SQL =
  'SELECT a.v, count(*) AS n, sum(c.v) AS s FROM a JOIN b ON a.k = b.k LEFT JOIN c ON b.v = c.id GROUP BY a.v';

let cluster: SimulatedCluster;

beforeAll(async () => {
  cluster = await SimulatedCluster.open();
  for (const name of ['a', 'b', 'c'])
    await cluster.run(
      `CREATE TABLE managed.${name} AS SELECT i AS id, hash(i) % 70 AS k, hash(i + 1) % 90 AS v FROM range(1000) t(i)`,
    );
  await cluster.shard(OPTIONS.nodes);
});
afterAll(() => cluster.close());

test.each([300, 1_000, 3_000, 10_000, 30_000, 100_000])(
  'every task of a refined plan reads all of a table of %i rows that is joined to exchanged rows',
  async (rows) => {
    const { tables: actual } = cluster.planFacts(OPTIONS);
    const tables = new Map(
      [...actual].map(([name, facts]) => [
        name,
        { ...facts, ...(name === 'c' ? { rows, bytes: rows * 40 } : LARGE) },
      ]),
    );
    const given = await cluster.distributed(SQL, { ...OPTIONS, tables });
    expect(differenceOf(await cluster.plain(SQL), given, false)).toBeUndefined();
  },
);
