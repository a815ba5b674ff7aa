import type { Stage } from '@tessera/planner';
import { hashTasks } from './hash-tasks.ts';
import type { LayoutInputs } from './layout-inputs.ts';
import { singleTask } from './single-task.ts';
import { sourceTasks } from './source-tasks.ts';
import type { TaskSpec } from './task-spec.ts';

/** Returns the tasks of a stage and the inputs of each. */
export function layOut(stage: Stage, inputs: LayoutInputs): readonly TaskSpec[] {
  switch (stage.partitioning) {
    case 'source':
      return sourceTasks(stage, inputs);
    case 'hash':
      return hashTasks(stage, inputs);
    case 'single':
      return singleTask(stage, inputs);
    case 'coordinator':
      return singleTask(stage, inputs, inputs.self);
  }
}
