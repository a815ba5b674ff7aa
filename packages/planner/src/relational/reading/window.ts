import type { PlanOperator } from '../../plan-nodes.ts';
import { columnOf } from '../expressions/references.ts';
import { type BoundRelation, bindingsOf, type ReadScope, readInput, resolvedAll } from './bound-relation.ts';

export function readWindow(
  node: PlanOperator & { readonly window_index?: number },
  scope: ReadScope,
): BoundRelation {
  const input = readInput(node, scope);
  const windows = resolvedAll(node.expressions, [input]);
  const inputs = input.relation.columns;
  return {
    relation: {
      kind: 'window',
      input: input.relation,
      windows,
      columns: [...inputs, ...windows.map((window) => columnOf(window, inputs))],
    },
    bindings: [...input.bindings, ...bindingsOf(node.window_index, windows)],
  };
}
