import type { PlanExpression, PlanOperator, PlanOrder } from '../../plan-nodes.ts';
import { BIGINT, expressionType } from '../expressions/expression-type.ts';
import type { LimitRelation, SortKey } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import { type BoundRelation, mappedColumns, type ReadScope, readInput, resolved } from './bound-relation.ts';

interface PlanSort extends PlanOperator {
  readonly orders?: readonly PlanOrder[];
  readonly projections?: readonly number[];
  readonly projection_map?: readonly number[];
}

export function readOrder(node: PlanSort, scope: ReadScope): BoundRelation {
  return mappedColumns(sorted(readInput(node, scope), node), node.projections ?? node.projection_map);
}

export function readTopN(
  node: PlanSort & { readonly limit?: number | bigint; readonly offset?: number | bigint },
  scope: ReadScope,
): BoundRelation {
  const { relation, bindings } = sorted(readInput(node, scope), node);
  return {
    relation: {
      kind: 'limit',
      input: relation,
      limit: rowCount(node.limit ?? 0),
      isPercent: false,
      ...(BigInt(node.offset ?? 0) === 0n ? {} : { offset: rowCount(node.offset ?? 0) }),
      columns: relation.columns,
    },
    bindings,
  };
}

interface PlanLimitValue {
  readonly type?: string;
  readonly constant_integer?: number | bigint;
  readonly constant_percentage?: number;
  readonly expression?: PlanExpression;
}

export function readLimit(
  node: PlanOperator & { readonly limit_val?: PlanLimitValue; readonly offset_val?: PlanLimitValue },
  scope: ReadScope,
): BoundRelation {
  const input = readInput(node, scope);
  const limit = limitExpression(node.limit_val, input);
  const offset = limitExpression(node.offset_val, input);
  const relation: LimitRelation = {
    kind: 'limit',
    input: input.relation,
    isPercent: (node.limit_val?.type ?? '').endsWith('_PERCENTAGE'),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
    columns: input.relation.columns,
  };
  return { relation, bindings: input.bindings };
}

function limitExpression(
  value: PlanLimitValue | undefined,
  input: BoundRelation,
): PlanExpression | undefined {
  switch (value?.type ?? 'UNSET') {
    case 'UNSET':
      return undefined;
    case 'CONSTANT_VALUE':
      return rowCount(value?.constant_integer ?? 0);
    case 'CONSTANT_PERCENTAGE':
      return {
        type: 'VALUE_CONSTANT',
        value: { type: { id: 'DOUBLE' }, value: value?.constant_percentage ?? 0 },
      };
    default: {
      if (value?.expression === undefined) return unsupported(`a limit of ${value?.type}`);
      const expression = resolved(value.expression, [input]);
      expressionType(expression);
      return expression;
    }
  }
}

const rowCount = (value: number | bigint): PlanExpression => ({
  type: 'VALUE_CONSTANT',
  value: { type: BIGINT, value },
});

function sorted(input: BoundRelation, { orders }: PlanSort): BoundRelation {
  return {
    relation: {
      kind: 'sort',
      input: input.relation,
      keys: sortKeys(orders, input),
      columns: input.relation.columns,
    },
    bindings: input.bindings,
  };
}

/** @throws UnsupportedPlan if the order depends on a setting */
export const sortKeys = (
  orders: readonly PlanOrder[] | undefined,
  input: BoundRelation,
): readonly SortKey[] =>
  (orders ?? []).map(({ type, null_order, expression }) => {
    if (!/^(?:ASC|DESC)ENDING$/.test(type) || !/^NULLS[ _](?:FIRST|LAST)$/.test(null_order))
      return unsupported(`the order ${type} ${null_order}`);
    return {
      expression: resolved(expression, [input]),
      descending: type === 'DESCENDING',
      nullsFirst: null_order.endsWith('FIRST'),
    };
  });
