import type { StageProfile } from '../stage-execution.ts';
import { rootOf, type SchedulerState } from '../state/scheduler-state.ts';
import { type RunProgress, stageProgress } from './run-progress.ts';

/** The measurements of the stages before the root, from the attempts that count. */
export function stageProfiles(state: SchedulerState, times: RunProgress): readonly StageProfile[] {
  return state.stages
    .filter(({ stage, status }) => status === 'started' && stage.id !== rootOf(state))
    .map((stage) => ({
      ...stageProgress(stage),
      elapsedMs: times.elapsedMs(stage.stage.id),
      tasksByNode: stage.tasks.flatMap(({ node, attempt, outcome }) =>
        outcome === undefined ? [] : [{ node: state.nodes[node]!.node.name, attempt, outcome }],
      ),
    }));
}
