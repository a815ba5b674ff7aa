import type { StageId } from '@tessera/planner';
import type { Draft } from './draft.ts';
import { isComplete, rootOf } from './scheduler-state.ts';
import { inputStages } from './task-inputs.ts';

/**
 * Releases the outputs of the stages that `id` reads if `id` was their last reader and they are large. If a reader needs them
 * again because its own output was lost, they are recomputed like the outputs of a lost node.
 */
export function releaseConsumedInputs(draft: Draft, id: StageId): void {
  const root = rootOf(draft.state);
  for (const input of new Set(inputStages(draft.stage(id).stage))) {
    const { stage, finished, succeeded: done } = draft.stage(input);
    if (stage.isVolatile || done === 0 || finished === undefined) continue;
    if (finished.bytes < draft.state.options.releaseBytes) continue;
    const readers = draft.state.stages.filter((reader) => inputStages(reader.stage).includes(input));
    if (!readers.every((reader) => reader.stage.id !== root && isComplete(reader))) continue;
    const nodes = new Set<number>();
    draft.stage(input).tasks.forEach(({ status, node }, task) => {
      if (status !== 'succeeded') return;
      nodes.add(node);
      draft.updateTask(input, task, { status: 'outputLost' });
    });
    for (const node of nodes)
      draft.effects.push({ kind: 'release', node: draft.node(node).node, stages: [input] });
  }
}
