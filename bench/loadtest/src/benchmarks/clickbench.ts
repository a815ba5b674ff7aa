import { clickbench as workload } from '@tessera/workloads';
import { querySuite } from '../suites/query-suite.ts';
import type { Benchmark } from './benchmark.ts';

/** ClickBench's 43 queries over one wide table. */
export const clickbench: Benchmark = querySuite({ workload, scaleFactor: 1 });
