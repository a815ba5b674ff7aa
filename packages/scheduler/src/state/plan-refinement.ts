import type { DistributedPlan } from '@tessera/planner';
import type { Draft } from './draft.ts';
import { blockedStage, type StageState } from './scheduler-state.ts';

/** Once at a time: what finishes meanwhile is told with the next question. */
export function askForBetterPlan(draft: Draft): void {
  const { stages, isRefining } = draft.state;
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

/** Takes over a plan; stages that have started stay what they were. */
export function planRefined(draft: Draft, plan: DistributedPlan): void {
  const { isRefining, refineAgain, stages, plan: before } = draft.state;
  if (!isRefining) return;
  draft.set({ isRefining: false });
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
