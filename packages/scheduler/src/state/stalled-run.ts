import { TesseraError } from '@tessera/common';
import type { Draft } from './draft.ts';
import { endRun } from './end-of-run.ts';
import { isComplete } from './scheduler-state.ts';

/**
 * Ends a run that no event can continue: nothing runs, no answer and no timer is due, and the root has not been opened. Correct
 * plans never get there, because a stage reads only stages before it and whatever is lost is made again. A defect of the planner
 * or of the scheduler fails the query here with an error, in place of leaving it to wait for ever.
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
