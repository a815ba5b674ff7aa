export { tpch } from './tpch/tpch.ts';
export type {
  GenerateOptions,
  GenerateProgress,
  Workload,
  WorkloadColumn,
  WorkloadQuery,
  WorkloadTable,
} from './workload.ts';
