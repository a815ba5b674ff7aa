import { clickbench as workload } from '@tessera/workloads';
import type { Benchmark } from '../benchmark.ts';
import { querySuite } from '../suites/query-suite.ts';

/** ClickBench's 43 queries over one wide table. */
export const clickbench: Benchmark = querySuite({
  workload,
  scaleFactor: 1,
  repeatedTarget: { at: 'most', value: 0.2 },
});
