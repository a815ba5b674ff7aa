export type { Cluster, ClusterMember, ClusterNode, RemoteTaskOptions } from './cluster.ts';
export type {
  ExecutedPlan,
  ExecutePlan,
  ExecutionProgress,
  LocalTasks,
  PlanExecution,
  ScanAssignment,
  StageProfile,
  StageProgress,
} from './stage-execution.ts';
