import type { NodeName, QueryId } from '@tessera/common';
import type {
  KeyFilter,
  KeySummary,
  OpenedSources,
  ResultPart,
  ResultTask,
  Task,
  TaskOutcome,
  TaskSource,
  TaskToOpen,
} from '@tessera/distexec';
import type { KernelSession } from '@tessera/kernel';
import type { DistributedPlan, FinishedStage, ScanSource, StageId } from '@tessera/planner';
import type { ClusterMembership, ClusterNode, TaskRunner } from './cluster.ts';

/** The tablets or parts of files of one scan of one stage that a node reads. The coordinator makes it from the catalog. */
export interface ScanAssignment {
  readonly node: ClusterNode;
  readonly source: TaskSource;
  /** Size of the tablets, for balancing. */
  readonly bytes: number;
  /** For a scan with `withinKeys`: the keys that the tasks of this node's share need. */
  readonly ownKeys?: KeyFilter | undefined;
}

/** The inputs of a run of a plan. */
export interface PlanExecution {
  readonly queryId: QueryId;
  /** Counts up from 1: planning a query again starts another run. */
  readonly run: number;
  readonly plan: DistributedPlan;
  /** Plans the rest of the query again with the actual sizes of finished stages. Stages in `started` must stay unchanged. */
  refine(
    plan: DistributedPlan,
    finished: ReadonlyMap<StageId, FinishedStage>,
    started: ReadonlySet<StageId>,
  ): DistributedPlan;
  /**
   * Divides the tablets of a scan among the nodes (`source`), or assigns the whole table to each of them (`replicated`). Nodes
   * without tablets get no task. If no node has any, one task still runs, because an aggregate over no rows returns a row.
   * `summaries` are those of the stages that the dynamic filters of the scan name.
   */
  assignScan(
    scan: ScanSource,
    nodes: readonly ClusterNode[],
    summaries: ReadonlyMap<StageId, readonly KeySummary[]>,
  ): Promise<readonly ScanAssignment[]>;
  /** The session of the query. Stages that need it run in it one after the other, and so does the root. */
  readonly session: KernelSession;
  readonly timeZone: string;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly signal: AbortSignal;
  /** Called when the run begins, with a function that returns its progress at any time. */
  readonly onRun: (progress: () => ExecutionProgress) => void;
  /**
   * Set if the caller can read the result part by part. Called at most once, when rows of a large result can be read while
   * tasks run; the caller must then read all parts, or release the result.
   */
  readonly onResult?: ((result: StreamedResult) => void) | undefined;
}

export interface ExecutionProgress {
  readonly stages: readonly StageProgress[];
  /** The time that the stages before the root are expected to need still. */
  readonly remainingMs: number;
  /** The time that the root is expected to take. */
  readonly lastMs: number;
  /** The number of nodes that have been given tasks. */
  readonly nodes: number;
  /** The rows and bytes of tables and files that finished tasks have read. */
  readonly rowsRead: number;
  readonly bytesRead: number;
}

export interface StageProgress {
  readonly stage: StageId;
  readonly state: 'waiting' | 'running' | 'finished';
  readonly tasks: number;
  readonly tasksFinished: number;
  /** Greater than the number of tasks if some were retried. */
  readonly attempts: number;
}

/** Measurements of a stage for EXPLAIN ANALYZE, from the attempts that count. */
export interface StageProfile extends StageProgress {
  readonly tasksByNode: readonly {
    readonly node: NodeName;
    readonly attempt: number;
    readonly outcome: TaskOutcome;
  }[];
  /** From the start of the first task to the end of the last one. */
  readonly elapsedMs: number;
}

/** A run whose stages have all finished except the root. */
export interface ExecutedPlan {
  readonly plan: DistributedPlan;
  /** The SQL of the root over sources that are open in the session of the query. */
  readonly root: OpenedSources;
  readonly profiles: readonly StageProfile[];
  /** Releases the outputs on all nodes. */
  release(): Promise<void>;
}

/**
 * A result that is computed part by part, while the tasks run whose rows the root reads. The run ends when the last part was read.
 * If it fails before that, so does reading the parts.
 */
export interface StreamedResult {
  readonly plan: DistributedPlan;
  /** The SQL of the root over a part of its rows, in the session of the query. Each part must be released before the next. */
  readonly parts: AsyncGenerator<ResultPart, void>;
  /** Stops the run if it has not ended. */
  release(): Promise<void>;
}

/**
 * Runs all stages of a plan but the root, whose inputs it fetches into the session of the query.
 * @throws TesseraError what a task failed with for good, NO_NODES, QUERY_CANCELLED
 */
export type ExecutePlan = (execution: PlanExecution, nodes: ExecutingNodes) => Promise<ExecutedPlan>;

/** Where the tasks of a run execute. */
export interface ExecutingNodes {
  readonly membership: ClusterMembership;
  readonly remote: TaskRunner;
  readonly local: LocalTasks;
}

/** Tasks of this node, in the session of the query or one of their own. */
export interface LocalTasks {
  runTask(task: Task, options: { session: KernelSession; signal: AbortSignal }): Promise<TaskOutcome>;
  open(task: TaskToOpen, session: KernelSession, signal: AbortSignal): Promise<OpenedSources>;
  results(task: ResultTask, session: KernelSession, signal: AbortSignal): AsyncGenerator<ResultPart, void>;
}
