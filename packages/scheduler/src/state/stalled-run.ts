import { TesseraError } from '@tessera/common';
import type { Draft } from './draft.ts';
import { endRun } from './end-of-run.ts';
import { isComplete } from './scheduler-state.ts';

/**
 * Ends a run that no event can continue: no attempt is running, no answer or timer is pending, and the root
 * has not been opened. Correct plans never get there, because a stage only reads earlier stages and lost
 * outputs are recomputed. A defect of the planner or scheduler then fails the query with an error instead of
 * letting it wait forever.
 */
export function endStalledRun(draft: Draft): void {
  const { isRefining, isWaitingForNodes, isDispatchDue, nodes, stages } = draft.state;
  if (isRefining || isWaitingForNodes || isDispatchDue) return;
  if (nodes.some(({ running }) => running > 0)) return;
  const isAwaited = stages.some(
    ({ status, tasks }) => status === 'assigning' || tasks.some((task) => task.status === 'delayed'),
  );
  if (isAwaited) return;
  const waiting = stages.filter((stage) => !isComplete(stage)).map(({ stage }) => stage.id);
  endRun(draft, TesseraError.of('NO_PROGRESS', { stages: waiting.join(', ') }));
}
