import type { PlanExpression, PlanOperator } from '../../plan-nodes.ts';
import { BIGINT } from '../expressions/expression-type.ts';
import { columnOf } from '../expressions/references.ts';
import { type BoundRelation, bindingsOf, type ReadScope, readInput, resolvedAll } from './bound-relation.ts';

interface PlanAggregate extends PlanOperator {
  readonly group_index?: number;
  readonly aggregate_index?: number;
  readonly groupings_index?: number;
  readonly groups?: readonly PlanExpression[];
  readonly grouping_sets?: readonly (readonly number[])[];
  readonly grouping_functions?: readonly (readonly number[])[];
}

export function readAggregate(node: PlanAggregate, scope: ReadScope): BoundRelation {
  const input = readInput(node, scope);
  const groups = resolvedAll(node.groups, [input]);
  const aggregates = resolvedAll(node.expressions, [input]);
  const sets = node.grouping_sets ?? [];
  const groupingCalls = node.grouping_functions ?? [];
  const inputs = input.relation.columns;
  return {
    relation: {
      kind: 'aggregate',
      input: input.relation,
      groups,
      groupingSets: sets.length === 0 ? [groups.map((_, i) => i)] : sets,
      aggregates,
      groupingCalls,
      columns: [
        ...groups.map((group) => columnOf(group, inputs)),
        ...aggregates.map((aggregate) => columnOf(aggregate, inputs)),
        ...groupingCalls.map(() => ({ name: 'grouping', type: BIGINT })),
      ],
    },
    bindings: [
      ...bindingsOf(node.group_index, groups),
      ...bindingsOf(node.aggregate_index, aggregates),
      ...bindingsOf(node.groupings_index, groupingCalls),
    ],
  };
}
