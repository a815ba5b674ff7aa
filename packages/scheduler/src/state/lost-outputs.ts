import { TesseraError } from '@tessera/common';
import type { StageId } from '@tessera/planner';
import { stopAttempt } from './attempt-end.ts';
import type { Draft } from './draft.ts';
import { endRun } from './end-of-run.ts';
import { exchangeParts, filteringStages, inputStages, readsTask } from './task-inputs.ts';

/**
 * Lost outputs that somebody still needs are made again, and what they are made from, back to the scans. An output whose rows
 * may come out otherwise takes with it whatever was made from it: rows of two runs of one task never meet.
 */
export function reviveLostOutputs(draft: Draft): void {
  while (reviveOnce(draft));
}

/** Whether stages that were looked at before have lost something now. */
function reviveOnce(draft: Draft): boolean {
  let again = false;
  for (const {
    stage: { id },
  } of draft.state.stages.toReversed())
    for (const input of new Set(inputStages(draft.stage(id).stage))) {
      if ((draft.findStage(input)?.lost ?? 0) === 0) continue;
      for (const task of neededTasks(draft, id, input)) {
        if (draft.task(input, task).status !== 'lost') continue;
        draft.updateTask(input, task, { status: 'waiting' });
        const which = draft.stage(input).stage.isVolatile ? 'all' : 'sliced';
        if (invalidateReaders(draft, input, task, which)) again = true;
        if (draft.hasEnded) return false;
      }
    }
  return again;
}

/** Tasks of `input` that tasks of `id` read which are yet to begin. */
function neededTasks(draft: Draft, id: StageId, input: StageId): Iterable<number> {
  const consumer = draft.stage(id);
  const all = draft.stage(input).tasks.keys();
  if (consumer.status !== 'started') return all;
  const needed = new Set<number>();
  for (const { status, spec } of consumer.tasks) {
    if (status !== 'waiting' && status !== 'resting' && status !== 'queued') continue;
    for (const part of exchangeParts(spec)) {
      if (part.stage !== input) continue;
      if (part.tasks === undefined) return all;
      for (const task of part.tasks) needed.add(task);
    }
  }
  return needed;
}

/**
 * Tasks that read an output (`sliced`: a part of it that was cut where its rows happened to lie) must not count when it is made
 * again with other rows, and so with those that read what they left. Answers whether there were any.
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
      else if (status === 'done') draft.updateTask(consumer.id, reader, { status: 'lost' });
      if (status === 'running' || status === 'done') found = true;
      // Also what it left in an attempt whose output is gone may have been read.
      if (outcome !== undefined && invalidateReaders(draft, consumer.id, reader, 'all')) found = true;
    }
  }
  return found;
}

/** All that a node has left; answers what that was. */
export function loseOutputsOf(draft: Draft, node: number): readonly { stage: StageId; task: number }[] {
  const lost: { stage: StageId; task: number }[] = [];
  for (const { stage } of draft.state.stages) {
    const { tasks } = draft.stage(stage.id);
    tasks.forEach((task, i) => {
      if (task.status === 'done' && task.node === node) lost.push({ stage: stage.id, task: i });
    });
  }
  for (const { stage, task } of lost) draft.updateTask(stage, task, { status: 'lost' });
  return lost;
}

/** Keys of another run of the stage might have let other rows pass. */
function wasFilteredBy(draft: Draft, id: StageId, filtering: StageId): boolean {
  const { status, stage } = draft.stage(id);
  return status !== 'blocked' && filteringStages(stage.sources).includes(filtering);
}
