import { clickbench, tpcds, tpch, type Workload } from '@tessera/workloads';

export const WORKLOADS: readonly Workload[] = [tpch, tpcds, clickbench];
