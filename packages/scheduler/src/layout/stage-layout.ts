import type { Stage, StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { ScanAssignment } from '../stage-execution.ts';
import { bucketTasks } from './bucket-tasks.ts';
import { shardTasks } from './shard-tasks.ts';
import { oneTask } from './single-task.ts';
import type { TaskOutput, TaskSpec } from './task-spec.ts';

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

/** The tasks of a stage, and what each of them reads. */
export function layOut(stage: Stage, inputs: LayoutInputs): readonly TaskSpec[] {
  switch (stage.spread) {
    case 'shards':
      return shardTasks(stage, inputs);
    case 'buckets':
      return bucketTasks(stage, inputs);
    case 'single':
      return oneTask(stage, inputs);
    case 'coordinator':
      return oneTask(stage, inputs, inputs.self);
  }
}
