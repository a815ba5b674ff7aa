import { afterAll, beforeAll, expect, it } from 'vitest';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { type Mismatch, runDifferential } from './differential-run.ts';

const SEED = process.env.TESSERA_DIFFERENTIAL_SEED ?? '20261121';
const QUERIES = Number(process.env.TESSERA_DIFFERENTIAL_QUERIES ?? 200);
const SECONDS_PER_QUERY = 2;

let cluster: EngineCluster;
beforeAll(async () => {
  cluster = await EngineCluster.start({ nodes: 3 });
});
afterAll(() => cluster[Symbol.asyncDispose]());

it(
  `${QUERIES} random queries on three nodes: the answers of plain DuckDB (seed ${SEED})`,
  async () => {
    const found: Mismatch[] = [];
    const tally = await runDifferential({
      cluster,
      seed: SEED,
      queries: QUERIES,
      queriesPerTables: 50,
      onMismatch: (mismatch) => found.push(mismatch),
    });
    expect(found).toEqual([]);
    expect(tally.compared).toBeGreaterThan(QUERIES / 2);
    expect(tally.onOneNode).toBeLessThan(tally.compared / 2);
  },
  120_000 + QUERIES * SECONDS_PER_QUERY * 1000,
);
