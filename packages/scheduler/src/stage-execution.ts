import type { KeySummary, OpenedSources, Task, TaskOutcome, TaskSource } from '@tessera/distexec';
import type { KernelSession } from '@tessera/kernel';
import type { DistributedPlan, FinishedStage, ScanSource, StageId } from '@tessera/planner';
import type { Cluster, ClusterNode } from './cluster.ts';

/** The tablets of one scan of one stage, by node: made by who knows the catalog. */
export interface ScanAssignment {
  readonly node: ClusterNode;
  readonly source: TaskSource;
  /** Of the tablets, to balance by. */
  readonly bytes: number;
}

/** What running a plan needs of the query that it belongs to. */
export interface PlanExecution {
  readonly queryId: string;
  /** Counts up from 1: a query that is planned anew is another run. */
  readonly run: number;
  readonly plan: DistributedPlan;
  /** A better plan, knowing what became of stages; may be the same. Stages that `started` names are kept as they are. */
  refine(
    plan: DistributedPlan,
    finished: ReadonlyMap<StageId, FinishedStage>,
    started: ReadonlySet<StageId>,
  ): DistributedPlan;
  /**
   * The tablets of a scan, spread over the nodes (`sharded`), or the whole table for each of them. Nodes without tablets
   * are left out, but one: also of nothing something is made (GROUP BY ROLLUP over no rows has a row). `summaries` are of the stages that the scan's dynamic filters name.
   */
  assignScan(
    scan: ScanSource,
    nodes: readonly ClusterNode[],
    summaries: ReadonlyMap<StageId, readonly KeySummary[]>,
  ): Promise<readonly ScanAssignment[]>;
  /** Of the query; stages that need it run in it, one after the other, and so does the root. */
  readonly session: KernelSession;
  readonly timeZone: string;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExecutionProgress) => void;
}

export interface ExecutionProgress {
  readonly stages: readonly StageProgress[];
  /** Of all stages, 0 to 100. */
  readonly percent: number;
}

export interface StageProgress {
  readonly stage: StageId;
  readonly state: 'waiting' | 'running' | 'finished';
  readonly tasks: number;
  readonly tasksFinished: number;
  /** More than the tasks when some were run again. */
  readonly attempts: number;
}

/** What running a stage took, for EXPLAIN ANALYZE: outcomes of the attempts that count. */
export interface StageProfile extends StageProgress {
  readonly tasksByNode: readonly {
    readonly node: string;
    readonly attempt: number;
    readonly outcome: TaskOutcome;
  }[];
  /** From the first start to the last end. */
  readonly elapsedMs: number;
}

/** Everything but the root has run. */
export interface ExecutedPlan {
  readonly plan: DistributedPlan;
  /** The root's SQL over sources that are open in the session of the query. */
  readonly root: OpenedSources;
  readonly profiles: readonly StageProfile[];
  /** Frees what is left on all nodes. */
  release(): Promise<void>;
}

/**
 * Runs all stages of a plan but the root, whose inputs it fetches into the session of the query.
 * @throws TesseraError what a task failed with for good, NO_NODES, QUERY_CANCELLED
 */
export type ExecutePlan = (
  execution: PlanExecution,
  cluster: Cluster,
  local: LocalTasks,
) => Promise<ExecutedPlan>;

/** Tasks of this node, in the session of the query or one of their own. */
export interface LocalTasks {
  runTask(task: Task, options: { session: KernelSession; signal: AbortSignal }): Promise<TaskOutcome>;
  open(
    task: Pick<Task, 'sql' | 'sources'>,
    session: KernelSession,
    signal: AbortSignal,
  ): Promise<OpenedSources>;
}
