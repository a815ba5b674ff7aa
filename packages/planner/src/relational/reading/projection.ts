import type { PlanOperator } from '../../plan-nodes.ts';
import { columnOf } from '../expressions/references.ts';
import { type BoundRelation, bindingsOf, type ReadScope, readInput, resolvedAll } from './bound-relation.ts';

export function readProjection(
  node: PlanOperator & { readonly table_index?: number },
  scope: ReadScope,
): BoundRelation {
  const input = readInput(node, scope);
  const expressions = resolvedAll(node.expressions, [input]);
  const columns = expressions.map((expression) => columnOf(expression, input.relation.columns));
  return {
    relation: { kind: 'project', input: input.relation, expressions, columns },
    bindings: bindingsOf(node.table_index, columns),
  };
}
