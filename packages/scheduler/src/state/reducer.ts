import { TesseraError } from '@tessera/common';
import { endBrokenDelivery, recordDelivery } from './delivery.ts';
import { Draft } from './draft.ts';
import type { SchedulerEffect } from './effects.ts';
import { endRun } from './end-of-run.ts';
import type { SchedulerEvent, Timer } from './events.ts';
import { reviveLostOutputs } from './lost-outputs.ts';
import { nodeLost, nodesSeen } from './node-events.ts';
import { dispatchDue, dispatchTasks, scheduleCreatedTasks } from './placement.ts';
import { planRefined } from './plan-refinement.ts';
import { isComplete, type SchedulerState } from './scheduler-state.ts';
import { stageAssigned, startStages } from './stage-start.ts';
import { rootOpened, taskFailed, taskFinished } from './task-events.ts';
import { usableNodes } from './usable-nodes.ts';

export interface Reduced {
  readonly state: SchedulerState;
  readonly effects: readonly SchedulerEffect[];
}

/** Applies an event. Pure: the same state and event give the same result. */
export function reduce(state: SchedulerState, event: SchedulerEvent): Reduced {
  if (state.end !== undefined) return { state, effects: [] };
  const draft = new Draft(state);
  apply(draft, event);
  if (!draft.hasEnded) reviveLostOutputs(draft);
  endBrokenDelivery(draft, event);
  const lacksNodesForStages = !draft.hasEnded && startStages(draft);
  if (!draft.hasEnded) {
    waitForNodes(draft, scheduleCreatedTasks(draft) || lacksNodesForStages);
    dispatchTasks(draft);
    endStalledRun(draft);
  }
  return { state: draft.state, effects: draft.effects };
}

function apply(draft: Draft, event: SchedulerEvent): void {
  switch (event.kind) {
    case 'nodes':
      nodesSeen(draft, event.living);
      return;
    case 'node-lost': {
      const number = draft.state.numbers.get(event.incarnation);
      if (number !== undefined) nodeLost(draft, number, event.reason);
      return;
    }
    case 'refined':
      planRefined(draft, event.plan);
      return;
    case 'assigned':
      stageAssigned(draft, event.stage, event.scans);
      return;
    case 'assign-failed':
      if (draft.findStage(event.stage)?.status === 'assigning') endRun(draft, event.error);
      return;
    case 'task-finished':
      taskFinished(draft, event, event.outcome);
      return;
    case 'task-failed':
      taskFailed(draft, event, event.error);
      return;
    case 'delivery':
      recordDelivery(draft, event, event.isComplete);
      return;
    case 'root-opened':
      rootOpened(draft, event);
      return;
    case 'timer':
      timerFired(draft, event.timer);
      return;
    case 'cancelled':
      endRun(draft, event.error);
      return;
  }
}

function timerFired(draft: Draft, timer: Timer): void {
  if (timer.kind === 'dispatch') {
    dispatchDue(draft);
    return;
  }
  if (timer.kind === 'no-nodes') {
    if (draft.state.isWaitingForNodes && usableNodes(draft).length === 0)
      endRun(draft, TesseraError.of('NO_NODES', { reason: 'none answers that takes new work' }));
    return;
  }
  const task = draft.findStage(timer.stage)?.tasks[timer.task];
  if (task?.status === 'delayed' && task.attempt === timer.attempt)
    draft.updateTask(timer.stage, timer.task, { status: 'created' });
}

function waitForNodes(draft: Draft, lacksNodes: boolean): void {
  if (lacksNodes === draft.state.isWaitingForNodes) return;
  draft.set({ isWaitingForNodes: lacksNodes });
  if (!lacksNodes) return;
  const delayMs = draft.state.options.noNodesGraceMs;
  draft.effects.push({ kind: 'timer', timer: { kind: 'no-nodes' }, delayMs });
}

/**
 * Ends a run that no event can continue: no attempt is running, no answer or timer is pending, and the root
 * has not been opened. Correct plans never get there, because a stage only reads earlier stages and lost
 * outputs are recomputed. A defect of the planner or scheduler then fails the query with an error instead of
 * letting it wait forever.
 */
function endStalledRun(draft: Draft): void {
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
