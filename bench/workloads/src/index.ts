export { clickbench } from './clickbench/clickbench.ts';
export { tpcds } from './tpcds/tpcds.ts';
export { tpchStream } from './tpch/query-streams.ts';
export { tpch } from './tpch/tpch.ts';
export type {
  GenerateOptions,
  GenerateProgress,
  Workload,
  WorkloadColumn,
  WorkloadQuery,
  WorkloadTable,
} from './workload.ts';
