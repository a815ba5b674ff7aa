import type { Incarnation, TesseraError } from '@tessera/common';
import type { TaskOutcome } from '@tessera/distexec';
import type { DistributedPlan, StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { ScanAssignment } from '../stage-execution.ts';

export interface AttemptRef {
  readonly stage: StageId;
  readonly task: number;
  readonly attempt: number;
}

/** The events of a run. Events may arrive twice or late, or never if a node is lost. */
export type SchedulerEvent =
  /** The nodes that are alive, as far as is known; all others are lost. */
  | { readonly kind: 'nodes'; readonly living: readonly ClusterNode[] }
  | { readonly kind: 'node-lost'; readonly incarnation: Incarnation; readonly reason: string }
  /** The planner's answer to `refine`. */
  | { readonly kind: 'refined'; readonly plan: DistributedPlan }
  /** The answer to `assign`: at least one assignment for each scan, by position in the stage's sources. */
  | {
      readonly kind: 'assigned';
      readonly stage: StageId;
      readonly scans: ReadonlyMap<number, readonly ScanAssignment[]>;
    }
  | { readonly kind: 'assign-failed'; readonly stage: StageId; readonly error: TesseraError }
  | ({ readonly kind: 'task-finished'; readonly outcome: TaskOutcome } & AttemptRef)
  | ({ readonly kind: 'task-failed'; readonly error: TesseraError } & AttemptRef)
  /**
   * Rows of an attempt are part of the result that the client gets, or all its rows are (`isComplete`). From now on no other
   * attempt of the task may count.
   */
  | ({ readonly kind: 'delivery'; readonly isComplete: boolean } & AttemptRef)
  /** The root's inputs are readable. */
  | ({ readonly kind: 'root-opened' } & AttemptRef)
  | { readonly kind: 'timer'; readonly timer: Timer }
  | { readonly kind: 'cancelled'; readonly error: TesseraError };

export type Timer =
  /** The retry delay of a task has passed. */
  | ({ readonly kind: 'retry' } & AttemptRef)
  /** A run without nodes has waited for its whole grace period. */
  | { readonly kind: 'no-nodes' }
  /** Further tasks can begin. */
  | { readonly kind: 'dispatch' };
