import { TesseraError } from '@tessera/common';
import type { ClusterNode } from '../cluster.ts';
import { failAttempt, stopAttempt } from './attempt-end.ts';
import type { Draft } from './draft.ts';
import { loseOutputsOf } from './lost-outputs.ts';
import { newNode, SESSION } from './scheduler-state.ts';
import { exchangeParts, readsTask } from './task-inputs.ts';

/**
 * Updates the set of living nodes. A lost node that returns with its old process may get tasks again, but its
 * former outputs stay lost.
 */
export function nodesSeen(draft: Draft, living: readonly ClusterNode[]): void {
  const seen = new Set(living.map(({ incarnation }) => incarnation));
  for (const [incarnation, number] of draft.state.numbers)
    if (!seen.has(incarnation)) nodeLost(draft, number, 'it does not answer');
  const added = living.filter(({ incarnation }) => !draft.state.numbers.has(incarnation));
  if (added.length > 0) {
    const numbers = new Map(draft.state.numbers);
    for (const node of added) {
      numbers.set(node.incarnation, draft.state.nodes.length);
      draft.addNode(newNode(node));
    }
    draft.set({ numbers });
  }
  for (const node of living) {
    const number = draft.state.numbers.get(node.incarnation)!;
    if (draft.node(number).status === node.status) continue;
    draft.updateNode(number, { status: node.status, node });
    if (node.status === 'draining') emptyQueue(draft, number);
  }
}

/**
 * Handles a lost node: its tasks run elsewhere, its outputs must not be read, and tasks that may be reading
 * them restart.
 */
export function nodeLost(draft: Draft, number: number, reason: string): void {
  const { status, node } = draft.node(number);
  if (status === 'lost' || node.incarnation === draft.node(SESSION).node.incarnation) return;
  draft.updateNode(number, { status: 'lost' });
  emptyQueue(draft, number);
  const error = TesseraError.of('NODE_LOST', { node: node.name, reason });
  for (const { stage } of draft.state.stages)
    for (let task = 0; task < draft.stage(stage.id).tasks.length; task++) {
      const state = draft.task(stage.id, task);
      if (state.status !== 'running' || state.node !== number) continue;
      draft.effects.push({ kind: 'cancel', stage: stage.id, task, attempt: state.attempt });
      failAttempt(draft, stage.id, task, error);
      if (draft.hasEnded) return;
    }
  const lost = loseOutputsOf(draft, number);
  if (lost.length > 0) stopReaders(draft, lost);
}

function emptyQueue(draft: Draft, number: number): void {
  for (const { stage, task } of draft.node(number).queue)
    draft.updateTask(stage, task, { status: 'created' });
  draft.updateNode(number, { queue: [] });
}

function stopReaders(draft: Draft, lost: ReturnType<typeof loseOutputsOf>): void {
  for (const { stage } of draft.state.stages)
    for (let reader = 0; reader < draft.stage(stage.id).tasks.length; reader++) {
      const { status, spec } = draft.task(stage.id, reader);
      if (status !== 'running') continue;
      const isReader = exchangeParts(spec).some((part) =>
        lost.some((output) => readsTask(part, output.stage, output.task)),
      );
      if (isReader) stopAttempt(draft, stage.id, reader);
    }
}
