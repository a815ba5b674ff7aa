import { tpch as workload } from '@tessera/workloads';
import { querySuite } from '../suites/query-suite.ts';
import type { Benchmark } from './benchmark.ts';

/** The 22 TPC-H queries over managed tables. */
export const tpch: Benchmark = querySuite({ workload, scaleFactor: 1 });
