import { tpcds as workload } from '@tessera/workloads';
import type { Benchmark } from '../benchmark.ts';
import { querySuite } from '../suites/query-suite.ts';

/** The 99 TPC-DS queries over managed tables. */
export const tpcds: Benchmark = querySuite({ workload, scaleFactor: 1 });
