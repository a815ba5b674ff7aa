import type { Task } from '@tessera/distexec';
import type { StageId } from '@tessera/planner';
import { sourceFor } from '../layout/scan-parts.ts';
import { blocksOf, inlineBudget, type WholeOutput, wholeOutput } from '../layout/task-blocks.ts';
import type { Draft } from './draft.ts';
import { isComplete, type TaskRef, type TaskState } from './scheduler-state.ts';

/** The message for the next attempt of a task on the node `number`. */
export function taskMessage(draft: Draft, { stage: id, task }: TaskRef, number: number): Task {
  const { queryId, run, timeZone } = draft.state.options;
  const { attempt, spec, isAlone } = draft.task(id, task);
  const { stage } = draft.stage(id);
  const { node } = draft.node(number);
  const inlineRows = inlineBudget();
  return {
    key: { queryId, run, stage: id, task, attempt: attempt + 1 },
    sql: stage.sql,
    sources: spec.sources.map((source) =>
      source.kind === 'leaf'
        ? sourceFor(source, node)
        : blocksOf(source, draft.stage(source.stage).stage, wholeOutputs(draft, source.stage), inlineRows),
    ),
    output: stage.output,
    timeZone,
    ...(stage.hasOneRow && { fewRows: true }),
    ...(stage.holdsNoRows && { holdsNoRows: true }),
    ...(isAlone && { alone: true }),
  };
}

/** The number of blocks that a task reads. */
export const blocksIn = ({ sources }: Task): number =>
  sources.reduce((sum, source) => sum + (source.kind === 'exchange' ? source.blocks.length : 0), 0);

/** The outputs of complete stages, by the stage's array of tasks: the array is replaced if one of its tasks changes. */
const known = new WeakMap<readonly TaskState[], readonly WholeOutput[]>();

function wholeOutputs(
  draft: Draft,
  id: StageId,
): { readonly tasks: number; readonly of: (task: number) => WholeOutput } {
  const { queryId, run } = draft.state.options;
  const stage = draft.stage(id);
  const { tasks, of } = draft.outputsOf(id);
  const whole = (task: number) => wholeOutput({ queryId, run, stage: id, task }, of(task));
  if (!isComplete(stage)) return { tasks, of: whole };
  let outputs = known.get(stage.tasks);
  if (outputs === undefined) {
    outputs = stage.tasks.map((_, task) => whole(task));
    known.set(stage.tasks, outputs);
  }
  const kept = outputs;
  return { tasks, of: (task) => kept[task]! };
}
