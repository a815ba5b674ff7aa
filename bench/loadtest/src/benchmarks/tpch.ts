import { tpch as workload } from '@tessera/workloads';
import type { Benchmark } from '../benchmark.ts';
import { querySuite } from '../suites/query-suite.ts';

/** The 22 TPC-H queries over managed tables. */
export const tpch: Benchmark = querySuite({
  workload,
  scaleFactor: 1,
  targets: {
    firstRun: { 'DuckDB, Parquet': { at: 'most', value: 1.1 } },
    laterRuns: { DuckDB: { at: 'most', value: 1.05 } },
  },
});
