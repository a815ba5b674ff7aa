import type { Stage } from '@tessera/planner';
import { bucketTasks } from './bucket-tasks.ts';
import type { LayoutInputs } from './layout-inputs.ts';
import { shardTasks } from './shard-tasks.ts';
import { oneTask } from './single-task.ts';
import type { TaskSpec } from './task-spec.ts';

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
