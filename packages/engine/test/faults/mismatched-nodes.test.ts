import { expect, it } from 'vitest';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { query, rows } from '../http.ts';

const TIMEOUT_MS = 150_000;
const POLL = { timeout: 60_000, interval: 100 };
const ON_ALL_NODES = {
  min_distributed_bytes: '0',
  whole_table_bytes: '0',
  broadcast_limit_bytes: '0',
  output_format: 'JSON_Compact',
};
/** A query with more rows than one task can hold. */
const JOIN = 'SELECT count(*)::int FROM a JOIN b ON a.n = b.n WHERE length(a.text) + length(b.text) > 1';

async function fillTables(cluster: EngineCluster): Promise<void> {
  for (const table of ['a', 'b']) {
    await query(cluster.node(0), `CREATE TABLE ${table} (n int, text text)`);
    for (const from of [1, 5_001, 10_001, 15_001]) {
      const numbers = `SELECT n, repeat(md5(n::text), 5) FROM generate_series(${from}, ${from + 4_999}) AS g(n)`;
      await query(cluster.node(0), `INSERT INTO ${table} ${numbers}`);
    }
  }
}

it(
  'nodes that assign rows to buckets differently refuse to work together',
  async () => {
    await using cluster = await EngineCluster.open({ nodes: 2 });
    await cluster.startNode(0);
    // The readers of the rows detect another hash function, although the version is the same.
    await cluster.startNode(1, { env: { TESSERA_FAULT_HASH: 'disturbed' } });
    await cluster.untilWhole();
    await fillTables(cluster);
    const failed = await query(cluster.node(0), JOIN, ON_ALL_NODES);
    expect(failed.json().errors[0].name).toBe('PARTITION_MISMATCH');

    // Both nodes refuse another version of the kernel before that, with both versions in the message.
    await cluster.kill(1);
    await cluster.startNode(1, { env: { TESSERA_FAULT_KERNEL_VERSION: 'v0.0.1' } });
    const refusal = async (n: number) =>
      rows(
        cluster.node(n),
        `SELECT status, reason FROM information_schema.nodes WHERE node_name = '${cluster.nameOf(1 - n)}'`,
      );
    for (const n of [0, 1]) {
      await expect
        .poll(async () => (await refusal(n))[0], POLL)
        .toEqual(['REFUSED', expect.stringMatching(/v0\.0\.1.*v\d+\.\d+\.\d+|v\d+\.\d+\.\d+.*v0\.0\.1/)]);
      expect((await query(cluster.node(n), JOIN, ON_ALL_NODES)).json().data).toEqual([[20_000]]);
    }
  },
  TIMEOUT_MS,
);
