import type { StageId } from '@tessera/planner';
import type { Draft } from './draft.ts';
import { isComplete, rootOf } from './scheduler-state.ts';
import { inputStages } from './task-inputs.ts';

/**
 * Frees what the stages that `id` reads have left, when it was the last to read it and it is much. Should somebody need it
 * again, because what was made from it is lost, it is made again like what a lost node had.
 */
export function releaseConsumedInputs(draft: Draft, id: StageId): void {
  const root = rootOf(draft.state);
  for (const input of new Set(inputStages(draft.stage(id).stage))) {
    const { stage, finished, done } = draft.stage(input);
    if (stage.isVolatile || done === 0 || finished === undefined) continue;
    if (finished.bytes < draft.state.options.releaseBytes) continue;
    const readers = draft.state.stages.filter((reader) => inputStages(reader.stage).includes(input));
    if (!readers.every((reader) => reader.stage.id !== root && isComplete(reader))) continue;
    const nodes = new Set<number>();
    draft.stage(input).tasks.forEach(({ status, node }, task) => {
      if (status !== 'done') return;
      nodes.add(node);
      draft.updateTask(input, task, { status: 'lost' });
    });
    for (const node of nodes)
      draft.effects.push({ kind: 'release', node: draft.node(node).node, stages: [input] });
  }
}
