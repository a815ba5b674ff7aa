import type { TesseraError } from '@tessera/common';
import type { KeySummary, Task } from '@tessera/distexec';
import type { FinishedStage, ScanSource, StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { AttemptRef, Timer } from './events.ts';

/** The actions that the reducer requests. They are idempotent. */
export type SchedulerEffect =
  | {
      readonly kind: 'refine';
      readonly finished: ReadonlyMap<StageId, FinishedStage>;
      readonly started: ReadonlySet<StageId>;
    }
  | {
      readonly kind: 'assign';
      readonly stage: StageId;
      readonly scans: ReadonlyMap<number, ScanSource>;
      readonly nodes: readonly ClusterNode[];
      readonly summaries: ReadonlyMap<StageId, readonly KeySummary[]>;
    }
  /** Runs an attempt on a node, or in the query's session, where one task runs at a time. */
  | { readonly kind: 'run'; readonly node: ClusterNode; readonly inSession: boolean; readonly task: Task }
  /** Makes the inputs of the root readable in the query's session. */
  | { readonly kind: 'open-root'; readonly task: Task }
  | ({ readonly kind: 'cancel' } & AttemptRef)
  | { readonly kind: 'release'; readonly node: ClusterNode; readonly stages: readonly StageId[] }
  | { readonly kind: 'timer'; readonly timer: Timer; readonly delayMs: number }
  /** Ends the run; the last effect. */
  | { readonly kind: 'end'; readonly error: TesseraError | undefined };
