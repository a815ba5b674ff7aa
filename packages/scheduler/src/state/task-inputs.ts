import type { Stage, StageId } from '@tessera/planner';
import type { ExchangePart, TaskSpec } from '../layout/task-spec.ts';
import type { Draft } from './draft.ts';
import { isComplete } from './scheduler-state.ts';

export const exchangeParts = ({ sources }: TaskSpec): readonly ExchangePart[] =>
  sources.filter((source) => source.kind === 'exchange');

export const readsTask = (part: ExchangePart, stage: StageId, task: number): boolean =>
  part.stage === stage && (part.tasks === undefined || part.tasks.includes(task));

/** The stages that a stage reads. */
export const inputStages = ({ sources }: Stage): readonly StageId[] =>
  sources.flatMap((source) => (source.kind === 'exchange' ? [source.stage] : []));

/** The stages that must have finished first although they are not read. */
export const decidingStages = ({ after, sources }: Stage): readonly StageId[] => [
  ...after,
  ...filteringStages(sources),
];

/** The stages whose key summaries filter the scans. */
export const filteringStages = (sources: Stage['sources']): readonly StageId[] =>
  sources.flatMap((source) =>
    source.kind === 'scan' ? source.dynamicFilters.map(({ stage }) => stage) : [],
  );

/** Whether all inputs of a task are complete. */
export const hasInputs = (draft: Draft, spec: TaskSpec): boolean =>
  exchangeParts(spec).every((part) => {
    const stage = draft.stage(part.stage);
    if (isComplete(stage)) return true;
    return part.tasks?.every((task) => stage.tasks[task]?.status === 'succeeded') ?? false;
  });
