import type { DistributedPlan } from '@tessera/planner';
import type { Draft } from './draft.ts';
import { blockedStage, type SchedulerState, type StageState } from './scheduler-state.ts';

/**
 * Asks for a better plan. Only one request is open at a time; stages that finish meanwhile are part of the
 * next request.
 */
export function askForBetterPlan(draft: Draft): void {
  const { stages, isRefining, stagesToAdd } = draft.state;
  if (stagesToAdd < 0) return;
  if (isRefining) {
    draft.set({ refineAgain: true });
    return;
  }
  draft.set({ isRefining: true, refineAgain: false });
  draft.effects.push({
    kind: 'refine',
    finished: new Map(
      stages.flatMap(({ stage, finished }) =>
        finished ? [[stage.id, { rows: finished.rows, bytes: finished.bytes }]] : [],
      ),
    ),
    started: new Set(stages.flatMap(({ stage, status }) => (status === 'blocked' ? [] : [stage.id]))),
  });
}

/**
 * Applies a refined plan; stages that have started stay unchanged. A run always ends, because it has finitely
 * many stages: each stage only reads earlier ones, and refinements may only add a limited number. Without
 * this limit, a planner that replaces a stage after every finished one would be followed forever; with it,
 * the run continues with its current plan.
 */
export function planRefined(draft: Draft, plan: DistributedPlan): void {
  const { isRefining, refineAgain, stages, stagesToAdd, plan: before } = draft.state;
  if (!isRefining) return;
  const added = Math.max(0, stagesToStart(draft.state, plan) - stagesToStart(draft.state, before));
  draft.set({ isRefining: false, stagesToAdd: stagesToAdd - added });
  if (added > stagesToAdd) return;
  if (plan !== before) {
    const planned = new Set(plan.stages.map(({ id }) => id));
    const begun = stages.filter(({ status }) => status !== 'blocked');
    const known = new Map(begun.map((state) => [state.stage.id, state]));
    const merged: readonly StageState[] = [
      ...begun.filter(({ stage }) => !planned.has(stage.id)),
      ...plan.stages.map((stage) => known.get(stage.id) ?? blockedStage(stage)),
    ];
    draft.set({ plan, stages: merged, positions: new Map(merged.map(({ stage }, i) => [stage.id, i])) });
  }
  if (refineAgain) askForBetterPlan(draft);
}

const stagesToStart = ({ stages, positions }: SchedulerState, plan: DistributedPlan): number =>
  plan.stages.filter(({ id }) => {
    const position = positions.get(id);
    return position === undefined || stages[position]!.status === 'blocked';
  }).length;
