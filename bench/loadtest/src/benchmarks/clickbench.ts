import { clickbench as workload } from '@tessera/workloads';
import type { Benchmark } from '../benchmark.ts';
import { querySuite } from '../suites/query-suite.ts';

/** ClickBench's 43 queries over one wide table. */
export const clickbench: Benchmark = querySuite({
  workload,
  scaleFactor: 1,
  repeats: true,
  targets: {
    geometricMean: { DuckDB: { at: 'most', value: 1.2 }, ClickHouse: { at: 'most', value: 1 } },
    repeated: { DuckDB: { at: 'most', value: 0.2 } },
  },
});
