import { TesseraError } from '@tessera/common';
import type { Draft } from './draft.ts';
import { endRun } from './end-of-run.ts';
import type { AttemptRef, SchedulerEvent } from './events.ts';
import { rootOf, type TaskState } from './scheduler-state.ts';
import { inputStages } from './task-inputs.ts';

/** Records that rows of an attempt are part of the result, unless the attempt does not count any more. */
export function recordDelivery(
  draft: Draft,
  { stage, task, attempt }: AttemptRef,
  isComplete: boolean,
): void {
  const state = draft.findStage(stage)?.tasks[task];
  if (state === undefined || state.attempt !== attempt || !counts(state)) return;
  draft.set({ isDelivering: true });
  draft.updateTask(stage, task, { delivery: { attempt, isComplete } });
}

/**
 * Ends the run if an attempt does not count any more of which the client has rows: another attempt may return its rows in
 * another order, so that nobody knows which of them are missing.
 */
export function endBrokenDelivery(draft: Draft, event: SchedulerEvent): void {
  const { isDelivering, nodes } = draft.state;
  if (isDelivering !== true || draft.hasEnded) return;
  const broken = inputStages(draft.stage(rootOf(draft.state)).stage)
    .flatMap((id) => draft.stage(id).tasks)
    .find((task) => task.delivery !== undefined && (isOther(task) || !counts(task)));
  if (broken === undefined) return;
  if (event.kind === 'task-failed') {
    endRun(draft, event.error);
    return;
  }
  const lost = nodes.findLast(({ status }) => status === 'lost') ?? draft.node(broken.node);
  const reason = 'the client has already received rows that were computed with its help';
  endRun(draft, TesseraError.of('NODE_LOST', { node: lost.node.name, reason }));
}

const isOther = ({ attempt, delivery }: TaskState): boolean => delivery?.attempt !== attempt;

const counts = ({ status }: TaskState): boolean => status === 'running' || status === 'succeeded';
