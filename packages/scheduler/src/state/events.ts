import type { TesseraError } from '@tessera/common';
import type { TaskOutcome } from '@tessera/distexec';
import type { DistributedPlan, StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { ScanAssignment } from '../stage-execution.ts';

export interface AttemptRef {
  readonly stage: StageId;
  readonly task: number;
  readonly attempt: number;
}

/** What happens to a run. Events may come twice, late, or not at all when a node is lost. */
export type SchedulerEvent =
  /** The nodes that live, as far as is known; those not among them are lost. */
  | { readonly kind: 'nodes'; readonly living: readonly ClusterNode[] }
  | { readonly kind: 'node-lost'; readonly incarnation: string; readonly reason: string }
  /** The planner's answer to `refine`. */
  | { readonly kind: 'refined'; readonly plan: DistributedPlan }
  /** The answer to `assign`: by position in the stage's sources, one assignment at least for each. */
  | {
      readonly kind: 'assigned';
      readonly stage: StageId;
      readonly scans: ReadonlyMap<number, readonly ScanAssignment[]>;
    }
  | { readonly kind: 'assign-failed'; readonly stage: StageId; readonly error: TesseraError }
  | ({ readonly kind: 'task-finished'; readonly outcome: TaskOutcome } & AttemptRef)
  | ({ readonly kind: 'task-failed'; readonly error: TesseraError } & AttemptRef)
  /** The root's inputs are open. */
  | ({ readonly kind: 'root-opened' } & AttemptRef)
  | { readonly kind: 'timer'; readonly timer: Timer }
  | { readonly kind: 'cancelled'; readonly error: TesseraError };

export type Timer =
  /** A task has rested long enough. */
  | ({ readonly kind: 'retry' } & AttemptRef)
  /** A run without nodes has waited long enough. */
  | { readonly kind: 'no-nodes' }
  /** More tasks can begin. */
  | { readonly kind: 'dispatch' };
