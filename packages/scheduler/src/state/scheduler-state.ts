import type { Incarnation, QueryId, TesseraError } from '@tessera/common';
import type { KeySummary, TaskOutcome } from '@tessera/distexec';
import type { DistributedPlan, FinishedStage, Stage, StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { TaskSpec } from '../layout/task-spec.ts';

export interface SchedulerOptions {
  readonly queryId: QueryId;
  readonly run: number;
  readonly timeZone: string;
  /** The maximum number of attempts of one task. */
  readonly maxAttempts: number;
  /** The number of the query's tasks that run concurrently on a node. */
  readonly tasksPerNode: number;
  /** The delay before a second attempt on a node that failed; it doubles with each further attempt. */
  readonly retryDelayMs: number;
  /** How long a query waits for a node if there is none. */
  readonly noNodesGraceMs: number;
  /** Limits the blocks named by the tasks that begin in one event; other tasks begin with the next event. */
  readonly blocksPerEvent: number;
  /** Outputs of at least this size are released as soon as all readers have read them. */
  readonly releaseBytes: number;
}

/** One process of a node; after a restart, the node gets a new entry. */
export interface NodeState {
  readonly node: ClusterNode;
  readonly status: 'running' | 'draining' | 'lost';
  /** The number of attempts that run there now. */
  readonly running: number;
  /** Whether one of the attempts must run alone. */
  readonly isAlone: boolean;
  /** Tasks scheduled on the node, first in, first out. */
  readonly queue: readonly TaskRef[];
  /** The number of outputs that were reported as lost although the node is alive. */
  readonly fetchFailures: number;
  /** Whether the node was ever given a task. */
  readonly isUsed: boolean;
}

export interface TaskRef {
  readonly stage: StageId;
  readonly task: number;
}

/** The position in `SchedulerState.nodes` of the query's session, which runs one task at a time. */
export const SESSION = 0;

export interface TaskState {
  readonly spec: TaskSpec;
  /**
   * `created`: waits for its inputs or a node. `delayed`: waits until it may be retried. `scheduled`: queued at a node.
   * `succeeded`: its output can be read. `outputLost`: it succeeded, but its output is gone or must not be read; it runs again
   * when a reader needs it.
   */
  readonly status: 'created' | 'delayed' | 'scheduled' | 'running' | 'succeeded' | 'outputLost';
  /** Position in `SchedulerState.nodes` of the node where it is scheduled, runs or ran; -1: none yet. */
  readonly node: number;
  /** Number of the latest attempt; -1: none. */
  readonly attempt: number;
  /** Outcome of the latest attempt that counted. */
  readonly outcome: TaskOutcome | undefined;
  readonly failures: number;
  /** The nodes on which it failed. */
  readonly avoid: readonly number[];
  readonly isAlone: boolean;
  /** Set if rows of this attempt are part of the result that the client gets. */
  readonly delivery?: { readonly attempt: number; readonly isComplete: boolean } | undefined;
}

export interface StageState {
  readonly stage: Stage;
  readonly status: 'blocked' | 'assigning' | 'started';
  /** The nodes among which its scans, or those of the stage that it forwards, were divided; empty before that. */
  readonly dividedAmong: readonly ClusterNode[];
  readonly tasks: readonly TaskState[];
  /** Numbers of tasks by status. */
  readonly created: number;
  readonly succeeded: number;
  readonly outputLost: number;
  /** Set once all tasks have succeeded; kept when outputs are lost later. */
  readonly finished: FinishedTasks | undefined;
}

interface FinishedTasks extends FinishedStage {
  readonly summaries: readonly KeySummary[];
}

/** The state of a run. Only `reduce` changes it. */
export interface SchedulerState {
  readonly options: SchedulerOptions;
  readonly plan: DistributedPlan;
  /** Stages in topological order. */
  readonly stages: readonly StageState[];
  /** Positions in `stages` by id. */
  readonly positions: ReadonlyMap<StageId, number>;
  /** Entries are only ever appended. */
  readonly nodes: readonly NodeState[];
  /** The positions in `nodes` by incarnation, without the session. */
  readonly numbers: ReadonlyMap<Incarnation, number>;
  /** The planner is refining the plan. No stage starts before it has answered. */
  readonly isRefining: boolean;
  /** Whether stages have finished since the planner was asked. */
  readonly refineAgain: boolean;
  /** Number of stages that refined plans may still add. A plan that adds more is rejected, and the plan stays as it is. */
  readonly stagesToAdd: number;
  readonly isWaitingForNodes: boolean;
  /** Whether a `dispatch` timer is running. */
  readonly isDispatchDue: boolean;
  /** Whether the client has rows of stages that the root reads, some of whose tasks may still run. */
  readonly isDelivering?: boolean | undefined;
  /** Set when all stages but the root have run and its inputs are open, or when the run has failed. */
  readonly end: { readonly error: TesseraError | undefined } | undefined;
}

/**
 * A refined plan may have twice the stages of the first plan plus this many. TPC-DS needs fewer than half as
 * many.
 */
const MORE_STAGES = 16;

export function initialState(
  plan: DistributedPlan,
  self: ClusterNode,
  options: SchedulerOptions,
): SchedulerState {
  return {
    options,
    plan,
    stages: plan.stages.map(blockedStage),
    positions: new Map(plan.stages.map(({ id }, position) => [id, position])),
    nodes: [{ ...newNode(self), status: 'running' }],
    numbers: new Map(),
    isRefining: false,
    refineAgain: false,
    stagesToAdd: plan.stages.length + MORE_STAGES,
    isWaitingForNodes: false,
    isDispatchDue: false,
    end: undefined,
  };
}

export const blockedStage = (stage: Stage): StageState => ({
  stage,
  status: 'blocked',
  dividedAmong: [],
  tasks: [],
  created: 0,
  succeeded: 0,
  outputLost: 0,
  finished: undefined,
});

export const newNode = (node: ClusterNode): NodeState => ({
  node,
  status: node.status,
  running: 0,
  isAlone: false,
  queue: [],
  fetchFailures: 0,
  isUsed: false,
});

/** Whether all outputs of the stage can be read. */
export const isComplete = ({ status, tasks, succeeded: done }: StageState): boolean =>
  status === 'started' && done === tasks.length;

export const rootOf = ({ plan }: Pick<SchedulerState, 'plan'>): StageId => plan.stages.at(-1)!.id;
