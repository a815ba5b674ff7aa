export type { Cluster, ClusterMember, ClusterNode, RemoteTaskOptions } from './cluster.ts';
export { executePlan } from './execute-plan.ts';
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
