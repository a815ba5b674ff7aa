import type { TesseraError } from '@tessera/common';
import type { KeySummary, TaskOutcome } from '@tessera/distexec';
import type { DistributedPlan, FinishedStage, Stage, StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { TaskSpec } from '../layout/task-spec.ts';

export interface SchedulerOptions {
  readonly queryId: string;
  readonly run: number;
  readonly timeZone: string;
  /** Of one task. */
  readonly maxAttempts: number;
  /** Of the query, at once. */
  readonly tasksPerNode: number;
  /** Before a second attempt on a node that failed; doubles with each further one. */
  readonly retryDelayMs: number;
  /** How long a query waits for a node when there is none. */
  readonly noNodesGraceMs: number;
  /** Tasks begin until they name so many pieces; others begin with the next event. */
  readonly piecesPerEvent: number;
  /** What all readers have read is freed at once when it is of so many bytes. */
  readonly releaseBytes: number;
}

/** One process: a node that is started again is another one. */
export interface NodeState {
  readonly node: ClusterNode;
  readonly status: 'running' | 'draining' | 'lost';
  /** Attempts that run there now. */
  readonly running: number;
  /** One of them wants to be the only one. */
  readonly isAlone: boolean;
  /** To run there, first come, first served. */
  readonly queue: readonly TaskRef[];
  /** Outputs that were reported as lost although the node lives. */
  readonly fetchFailures: number;
  /** Was ever given anything. */
  readonly isUsed: boolean;
}

export interface TaskRef {
  readonly stage: StageId;
  readonly task: number;
}

/** Position in `SchedulerState.nodes` of the query's session, which runs one task at a time. */
export const SESSION = 0;

export interface TaskState {
  readonly spec: TaskSpec;
  /**
   * `waiting` for its inputs or a node; `resting` until it may be tried again; `queued` at a node; `running`; `done`: its
   * output can be read; `lost`: it was done, and its output is gone or must not be read: run again when somebody needs it.
   */
  readonly status: 'waiting' | 'resting' | 'queued' | 'running' | 'done' | 'lost';
  /** Position in `SchedulerState.nodes`, where it is queued, runs or ran; -1: nowhere yet. */
  readonly node: number;
  /** The last one begun; -1: none. */
  readonly attempt: number;
  /** Of the last attempt that counted. */
  readonly outcome: TaskOutcome | undefined;
  readonly failures: number;
  /** Where it failed. */
  readonly avoid: readonly number[];
  readonly isAlone: boolean;
}

export interface StageState {
  readonly stage: Stage;
  readonly status: 'blocked' | 'assigning' | 'started';
  readonly tasks: readonly TaskState[];
  /** Numbers of tasks by status. */
  readonly waiting: number;
  readonly done: number;
  readonly lost: number;
  /** Once all tasks were done; stays when outputs are lost later. */
  readonly finished: FinishedTasks | undefined;
}

export interface FinishedTasks extends FinishedStage {
  readonly summaries: readonly KeySummary[];
}

/** All that is known of a run; changed by `reduce` alone. */
export interface SchedulerState {
  readonly options: SchedulerOptions;
  readonly plan: DistributedPlan;
  /** In an order in which each stands behind those it reads. */
  readonly stages: readonly StageState[];
  /** In `stages`. */
  readonly positions: ReadonlyMap<StageId, number>;
  /** Only ever added to. */
  readonly nodes: readonly NodeState[];
  /** Positions in `nodes` by incarnation, without the session. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The planner is asked for a better plan: no stage starts before it has answered. */
  readonly isRefining: boolean;
  /** Stages finished since it was asked. */
  readonly refineAgain: boolean;
  /** How many stages refined plans may still add; a plan that adds more is not taken, and the planner is asked no more. */
  readonly stagesToAdd: number;
  readonly isWaitingForNodes: boolean;
  /** A `dispatch` timer runs. */
  readonly isDispatchDue: boolean;
  /** Everything but the root has run and its inputs are open, or what went wrong. */
  readonly end: { readonly error: TesseraError | undefined } | undefined;
}

/** A refined plan may have twice the stages of the first one and so many more; TPC-DS needs fewer than half as many more. */
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
  tasks: [],
  waiting: 0,
  done: 0,
  lost: 0,
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

/** Its outputs can all be read. */
export const isComplete = ({ status, tasks, done }: StageState): boolean =>
  status === 'started' && done === tasks.length;

export const rootOf = ({ plan }: Pick<SchedulerState, 'plan'>): StageId => plan.stages.at(-1)!.id;
