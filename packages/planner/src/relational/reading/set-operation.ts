import type { PlanOperator } from '../../plan-nodes.ts';
import type { SetRelation } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import { type BoundRelation, bindingsOf, type ReadScope } from './bound-relation.ts';

const OPERATIONS: Readonly<Record<string, SetRelation['operation']>> = {
  LOGICAL_UNION: 'union',
  LOGICAL_INTERSECT: 'intersect',
  LOGICAL_EXCEPT: 'except',
};

export function readSetOperation(
  node: PlanOperator & { readonly table_index?: number; readonly setop_all?: boolean },
  scope: ReadScope,
): BoundRelation {
  const operation = OPERATIONS[node.type];
  const inputs = (node.children ?? []).map((child) => scope.read(child, scope).relation);
  const [first] = inputs;
  if (operation === undefined || first === undefined || (operation !== 'union' && inputs.length !== 2))
    return unsupported(`the inputs of ${node.type}`);
  if (inputs.some(({ columns }) => columns.length !== first.columns.length))
    return unsupported('a set operation over inputs of several widths');
  return {
    relation: { kind: 'set', operation, isAll: node.setop_all === true, inputs, columns: first.columns },
    bindings: bindingsOf(node.table_index, first.columns),
  };
}
