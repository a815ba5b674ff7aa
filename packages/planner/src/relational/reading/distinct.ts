import type { PlanExpression, PlanOperator, PlanOrder } from '../../plan-nodes.ts';
import { isReference } from '../expressions/references.ts';
import { type BoundRelation, type ReadScope, readInput, resolvedAll } from './bound-relation.ts';
import { sortKeys } from './order.ts';

interface PlanDistinct extends PlanOperator {
  readonly distinct_type?: string;
  readonly distinct_targets?: readonly PlanExpression[];
  readonly order_by?: { readonly orders?: readonly PlanOrder[] } | null;
}

export function readDistinct(node: PlanDistinct, scope: ReadScope): BoundRelation {
  const input = readInput(node, scope);
  const { columns } = input.relation;
  const targets = resolvedAll(node.distinct_targets, [input]);
  const order = sortKeys(node.order_by?.orders, input);
  // With a collation, columns are compared by a derived value instead of their own.
  const whole =
    node.distinct_type !== 'DISTINCT_ON' &&
    targets.length === columns.length &&
    targets.every((target, i) => isReference(target) && target.index === i);
  return {
    relation: {
      kind: 'distinct',
      input: input.relation,
      ...(whole ? {} : { on: targets }),
      order: whole ? [] : order,
      columns,
    },
    bindings: input.bindings,
  };
}
