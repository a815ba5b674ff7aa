import type { TesseraError } from '@tessera/common';
import type { StageId } from '@tessera/planner';
import type { Draft } from './draft.ts';
import { endRun } from './end-of-run.ts';
import { SESSION } from './scheduler-state.ts';
import { usableNodes } from './usable-nodes.ts';

/** Releases the capacity that the attempt used on its node. */
export function releaseNode(draft: Draft, id: StageId, task: number): void {
  const { node, isAlone } = draft.task(id, task);
  const { running, isAlone: wasAlone } = draft.node(node);
  draft.updateNode(node, { running: running - 1, isAlone: wasAlone && !isAlone });
}

/** Cancels a running attempt without counting a failure; the task waits for another attempt. */
export function stopAttempt(draft: Draft, id: StageId, task: number): void {
  releaseNode(draft, id, task);
  const { attempt } = draft.task(id, task);
  draft.effects.push({ kind: 'cancel', stage: id, task, attempt });
  draft.updateTask(id, task, { status: 'created' });
}

/** Handles a failed attempt: retries the task, on another node if possible, or fails the run after the last attempt. */
export function failAttempt(
  draft: Draft,
  id: StageId,
  task: number,
  error: TesseraError,
  { isAlone = false }: { readonly isAlone?: boolean } = {},
): void {
  releaseNode(draft, id, task);
  const { node, attempt, failures, avoid, isAlone: wasAlone } = draft.task(id, task);
  const { maxAttempts, retryDelayMs } = draft.state.options;
  const count = failures + 1;
  const shunned = node === SESSION || avoid.includes(node) ? avoid : [...avoid, node];
  draft.updateTask(id, task, {
    status: 'created',
    failures: count,
    avoid: shunned,
    isAlone: isAlone || wasAlone,
  });
  if (count >= maxAttempts) {
    endRun(draft, error);
    return;
  }
  const isElsewhere = node !== SESSION && hasOther(draft, shunned);
  if (count === 1 && isElsewhere) return;
  draft.updateTask(id, task, { status: 'delayed' });
  const timer = { kind: 'retry', stage: id, task, attempt } as const;
  draft.effects.push({ kind: 'timer', timer, delayMs: retryDelayMs * 2 ** (count - 1) });
}

const hasOther = (draft: Draft, avoid: readonly number[]): boolean =>
  avoid.length < draft.state.nodes.length - 1 && usableNodes(draft).some((node) => !avoid.includes(node));
