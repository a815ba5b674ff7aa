import type { PlanOperator } from '../../plan-nodes.ts';
import {
  type BoundRelation,
  mappedColumns,
  type ReadScope,
  readInput,
  resolvedAll,
} from './bound-relation.ts';

export function readFilter(
  node: PlanOperator & { readonly projection_map?: readonly number[] },
  scope: ReadScope,
): BoundRelation {
  const input = readInput(node, scope);
  const predicates = resolvedAll(node.expressions, [input]);
  const { columns } = input.relation;
  return mappedColumns(
    { relation: { kind: 'filter', input: input.relation, predicates, columns }, bindings: input.bindings },
    node.projection_map,
  );
}
