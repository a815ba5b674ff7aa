import type { PlanOperator } from '../../plan-nodes.ts';
import { columnOf } from '../expressions/references.ts';
import { type BoundRelation, bindingsOf, type ReadScope, readInput, resolvedAll } from './bound-relation.ts';

export function readUnnest(
  node: PlanOperator & { readonly unnest_index?: number },
  scope: ReadScope,
): BoundRelation {
  const input = readInput(node, scope);
  const unnests = resolvedAll(node.expressions, [input]);
  const inputs = input.relation.columns;
  return {
    relation: {
      kind: 'unnest',
      input: input.relation,
      unnests,
      columns: [...inputs, ...unnests.map((unnest) => columnOf(unnest, inputs))],
    },
    bindings: [...input.bindings, ...bindingsOf(node.unnest_index, unnests)],
  };
}
