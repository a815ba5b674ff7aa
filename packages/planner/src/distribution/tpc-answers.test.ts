import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TableFacts } from '../distributed-plan.ts';
import { differenceOf } from './testing/same-rows.ts';
import type { SimulatedCluster, SimulatedOptions } from './testing/simulated-cluster.ts';
import { atScale100, type Suite, TPC_KEYS, tpcCluster, tpcPresent, tpcQueries } from './testing/tpc.ts';

/** Each query uses one of these variants, by its number, and all of them with `TESSERA_ALL_VARIANTS=1`. */
const VARIANTS: readonly SimulatedOptions[] = [
  { nodes: 3 },
  { nodes: 3, broadcastLimitBytes: 0 },
  { nodes: 3, refines: false },
  { nodes: 3, broadcastLimitBytes: 2 ** 50, gatherLimitRows: 10 },
  { nodes: 3, wholeTableBytes: 1_000_000 },
];
/**
 * Plans every third query for the statistics of scale factor 100, without refining the plan to the actual
 * sizes.
 */
const LARGE: SimulatedOptions = { nodes: 3, wholeTableBytes: 2 ** 30, refines: false };
const LARGE_EVERY = 3;
const RUNS_ALL = process.env.TESSERA_ALL_VARIANTS === '1';

describe.each<Suite>(['tpch', 'tpcds'])('%s in stages gives what the kernel gives', (suite) => {
  let cluster: SimulatedCluster;

  beforeAll(async () => {
    if (tpcPresent(suite)) cluster = await tpcCluster(suite, 3, TPC_KEYS[suite]);
  });
  afterAll(() => cluster?.close());

  const cases = tpcQueries(suite).map((query, i) => ({
    ...query,
    isByKeys: i % 4 !== 1,
    variants: RUNS_ALL ? VARIANTS : [VARIANTS[i % VARIANTS.length]!],
    isLarge: RUNS_ALL || i % LARGE_EVERY === 0,
  }));
  // A suite without tests would count as a failure.
  if (cases.length === 0) test.skip(`${suite}: skipped, its data is not on this machine`);
  test.skipIf(!tpcPresent(suite)).each(cases)(
    'query $name',
    { timeout: 60_000 },
    async ({ sql, variants, isLarge, isByKeys }) => {
      const expected = await cluster.plain(sql);
      const tables = isByKeys
        ? cluster.planFacts(LARGE).tables
        : withoutKeys(cluster.planFacts(LARGE).tables);
      const large = { ...LARGE, tables: atScale100(suite, tables) };
      for (const chosen of isLarge ? [...variants, large] : variants) {
        const variant = { tables, ...chosen };
        expect([variant, differenceOf(expected, await cluster.distributed(sql, variant))]).toEqual([
          variant,
          undefined,
        ]);
      }
    },
  );
});

const withoutKeys = (tables: ReadonlyMap<string, TableFacts>): ReadonlyMap<string, TableFacts> =>
  new Map([...tables].map(([name, facts]) => [name, { ...facts, key: undefined }]));
