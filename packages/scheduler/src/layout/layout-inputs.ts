import type { StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { ScanAssignment } from '../stage-execution.ts';
import type { TaskOutput } from './task-spec.ts';

/** What is known when a stage is about to start. */
export interface LayoutInputs {
  /** Of all stages that it reads, by task. */
  readonly outputs: ReadonlyMap<StageId, readonly TaskOutput[]>;
  /** Of its scans, by position in its sources; one at least for each. */
  readonly scans: ReadonlyMap<number, readonly ScanAssignment[]>;
  /** That may be given tasks; one at least. */
  readonly nodes: readonly ClusterNode[];
  /** Of the coordinator. */
  readonly self: ClusterNode;
}
