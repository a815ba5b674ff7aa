import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planDistributed } from './plan-distributed.ts';
import { planText } from './plan-text.ts';
import type { SimulatedCluster } from './testing/simulated-cluster.ts';
import { atScale100, type Suite, TPC_KEYS, tpcCluster, tpcPresent, tpcQueries } from './testing/tpc.ts';

// UPDATE_GOLDENS=1 rewrites the files.
const UPDATES = process.env.UPDATE_GOLDENS === '1';
const CLUSTER = {
  nodes: 4,
  broadcastLimitBytes: 64 * 2 ** 20,
  wholeTableBytes: 2 ** 30,
  nodeMemoryBytes: 32 * 2 ** 30,
  gatherLimitRows: 1_000_000,
};

describe.each<Suite>(['tpch', 'tpcds'])('plans of %s at scale factor 100 on 4 nodes', (suite) => {
  const directory = join(import.meta.dirname, 'goldens', suite);
  let cluster: SimulatedCluster;

  beforeAll(async () => {
    if (!tpcPresent(suite)) return;
    cluster = await tpcCluster(suite, 1, suite === 'tpch' ? TPC_KEYS.tpch : undefined);
    mkdirSync(directory, { recursive: true });
  });
  afterAll(() => cluster?.close());

  test.skipIf(!tpcPresent(suite)).each(tpcQueries(suite))(
    'query $name (skipped where the test data is absent)',
    async ({ name, sql }) => {
      const tables = atScale100(suite, cluster.planFacts({ nodes: 4 }).tables);
      const plan = await planDistributed(await cluster.serialized(sql), { tables, cluster: CLUSTER });
      expect(plan.unboundedGathers).toEqual([]);
      const text = `${planText(plan)}\n`;
      const file = join(directory, `${name}.txt`);
      if (UPDATES) writeFileSync(file, text);
      expect(text).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
    },
  );

  test.skipIf(!tpcPresent(suite))(
    'there is one for every query (skipped where the test data is absent)',
    () => {
      expect(readdirSync(directory)).toHaveLength(tpcQueries(suite).length);
    },
  );
});
