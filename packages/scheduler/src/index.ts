export type {
  Cluster,
  ClusterMember,
  ClusterMembership,
  ClusterNode,
  ReleaseScope,
  RemoteTaskOptions,
  TaskRunner,
} from './cluster.ts';
export type { FaultType, InjectedFault } from './driver/injected-faults.ts';
export { type RefinementFailure, refinementFailures, type TaskEnd, taskEnds } from './driver/plan-run.ts';
export { type ExecutePlanOptions, executePlan, executePlanWith } from './execute-plan.ts';
export { profileText, type StageTotals, stageTotals } from './profile-text.ts';
export type {
  ExecutedPlan,
  ExecutePlan,
  ExecutingNodes,
  ExecutionProgress,
  LocalTasks,
  PlanExecution,
  ScanAssignment,
  StageProfile,
  StageProgress,
  StreamedResult,
} from './stage-execution.ts';
