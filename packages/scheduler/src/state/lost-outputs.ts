import { TesseraError } from '@tessera/common';
import type { StageId } from '@tessera/planner';
import { stopAttempt } from './attempt-end.ts';
import type { Draft } from './draft.ts';
import { endRun } from './end-of-run.ts';
import { exchangeParts, filteringStages, inputStages, readsTask } from './task-inputs.ts';

/**
 * Recomputes lost outputs that a reader still needs, with everything they are computed from, back to the scans. If a second
 * attempt may produce other rows, everything computed from the first one is invalidated too: rows of two attempts never mix.
 */
export function reviveLostOutputs(draft: Draft): void {
  while (reviveOnce(draft));
}

/** Returns whether stages that were already visited have lost outputs now. */
function reviveOnce(draft: Draft): boolean {
  let again = false;
  for (const {
    stage: { id },
  } of draft.state.stages.toReversed())
    for (const input of new Set(inputStages(draft.stage(id).stage))) {
      if ((draft.findStage(input)?.outputLost ?? 0) === 0) continue;
      for (const task of neededTasks(draft, id, input)) {
        if (draft.task(input, task).status !== 'outputLost') continue;
        draft.updateTask(input, task, { status: 'created' });
        const which = draft.stage(input).stage.isVolatile ? 'all' : 'sliced';
        if (invalidateReaders(draft, input, task, which)) again = true;
        if (draft.hasEnded) return false;
      }
    }
  return again;
}

/** Tasks of `input` that are read by tasks of `id` that have not begun. */
function neededTasks(draft: Draft, id: StageId, input: StageId): Iterable<number> {
  const consumer = draft.stage(id);
  const all = draft.stage(input).tasks.keys();
  if (consumer.status !== 'started') return all;
  const needed = new Set<number>();
  for (const { status, spec } of consumer.tasks) {
    if (status !== 'created' && status !== 'delayed' && status !== 'scheduled') continue;
    for (const part of exchangeParts(spec)) {
      if (part.stage !== input) continue;
      if (part.tasks === undefined) return all;
      for (const task of part.tasks) needed.add(task);
    }
  }
  return needed;
}

/**
 * Invalidates the tasks that have read an output which is computed again with other rows (`sliced`: only tasks that read a slice by
 * row position), and their readers in turn. Returns whether there were any.
 */
export function invalidateReaders(draft: Draft, id: StageId, task: number, which: 'all' | 'sliced'): boolean {
  let found = false;
  for (const { stage: consumer } of draft.state.stages) {
    if (which === 'all' && wasFilteredBy(draft, consumer.id, id)) {
      const node = draft.node(draft.task(id, task).node).node.name;
      const reason = 'what it left had decided which rows others read';
      endRun(draft, TesseraError.of('NODE_LOST', { node, reason }));
      return true;
    }
    if (!inputStages(consumer).includes(id)) continue;
    for (let reader = 0; reader < draft.stage(consumer.id).tasks.length; reader++) {
      const { status, spec, outcome } = draft.task(consumer.id, reader);
      const isReader = exchangeParts(spec).some(
        (part) => readsTask(part, id, task) && (which === 'all' || part.slice !== undefined),
      );
      if (!isReader) continue;
      if (status === 'running') stopAttempt(draft, consumer.id, reader);
      else if (status === 'succeeded') draft.updateTask(consumer.id, reader, { status: 'outputLost' });
      if (status === 'running' || status === 'succeeded') found = true;
      // The output of an earlier attempt, although gone now, may have been read.
      if (outcome !== undefined && invalidateReaders(draft, consumer.id, reader, 'all')) found = true;
    }
  }
  return found;
}

/** Marks all outputs on a node as lost and returns them. Those that the client has completely are not needed any more. */
export function loseOutputsOf(draft: Draft, node: number): readonly { stage: StageId; task: number }[] {
  const lost: { stage: StageId; task: number }[] = [];
  for (const { stage } of draft.state.stages) {
    const { tasks } = draft.stage(stage.id);
    tasks.forEach((task, i) => {
      if (task.status !== 'succeeded' || task.delivery?.isComplete === true) return;
      if (task.node === node) lost.push({ stage: stage.id, task: i });
    });
  }
  for (const { stage, task } of lost) draft.updateTask(stage, task, { status: 'outputLost' });
  return lost;
}

/** Whether a scan of the stage was filtered by keys of the other stage: another attempt might let other rows pass. */
function wasFilteredBy(draft: Draft, id: StageId, filtering: StageId): boolean {
  const { status, stage } = draft.stage(id);
  return status !== 'blocked' && filteringStages(stage.sources).includes(filtering);
}
