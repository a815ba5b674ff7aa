import type { TesseraError } from '@tessera/common';
import type { KeySummary, Task } from '@tessera/distexec';
import type { FinishedStage, ScanSource, StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { AttemptRef, Timer } from './events.ts';

/** What is to be done about it. Doing it twice changes nothing more than doing it once. */
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
  /** In the query's session, one after the other, or on a node. */
  | { readonly kind: 'run'; readonly node: ClusterNode; readonly inSession: boolean; readonly task: Task }
  /** Makes the inputs of the root readable in the query's session. */
  | { readonly kind: 'open-root'; readonly task: Task }
  | ({ readonly kind: 'cancel' } & AttemptRef)
  | { readonly kind: 'release'; readonly node: ClusterNode; readonly stages: readonly StageId[] }
  | { readonly kind: 'timer'; readonly timer: Timer; readonly delayMs: number }
  /** The last one. */
  | { readonly kind: 'end'; readonly error: TesseraError | undefined };
