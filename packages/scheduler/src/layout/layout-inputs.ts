import type { StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { ScanAssignment } from '../stage-execution.ts';
import type { TaskOutput } from './task-spec.ts';

/** The inputs of the layout of a stage. */
export interface LayoutInputs {
  /** Outputs of all stages that the stage reads, by task. */
  readonly outputs: ReadonlyMap<StageId, readonly TaskOutput[]>;
  /** Assignments of its scans by position in its sources, at least one each. */
  readonly scans: ReadonlyMap<number, readonly ScanAssignment[]>;
  /** Nodes that may run tasks, at least one. */
  readonly nodes: readonly ClusterNode[];
  /** The node of the coordinator. */
  readonly self: ClusterNode;
}
