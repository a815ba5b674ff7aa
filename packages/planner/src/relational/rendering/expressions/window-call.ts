import { isDeepStrictEqual } from 'node:util';
import type { PlanExpression, PlanOrder } from '../../../plan-nodes.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { aggregateCall } from './aggregate-call.ts';
import type { ExpressionScope } from './expression-scope.ts';
import { orderSql } from './order.ts';

const FUNCTIONS: Readonly<Record<string, string>> = {
  WINDOW_RANK: 'rank',
  WINDOW_RANK_DENSE: 'dense_rank',
  WINDOW_NTILE: 'ntile',
  WINDOW_PERCENT_RANK: 'percent_rank',
  WINDOW_CUME_DIST: 'cume_dist',
  WINDOW_ROW_NUMBER: 'row_number',
  WINDOW_FIRST_VALUE: 'first_value',
  WINDOW_LAST_VALUE: 'last_value',
  WINDOW_NTH_VALUE: 'nth_value',
  WINDOW_LEAD: 'lead',
  WINDOW_LAG: 'lag',
  WINDOW_FILL: 'fill',
};

/** Renders a window function with its partition, order and frame. */
export function windowSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { partitions = [], orders = [], filters } = expression;
  const filter =
    filters === undefined || filters === null ? '' : ` FILTER (WHERE ${scope.render(filters, scope)})`;
  const parts = [
    ...(partitions.length === 0
      ? []
      : [`PARTITION BY ${partitions.map((partition) => scope.render(partition, scope)).join(', ')}`]),
    ...(orders.length === 0 ? [] : [`ORDER BY ${orderSql(orders, scope)}`]),
    frameSql(expression, scope),
  ];
  return `${callSql(expression, scope)}${filter} OVER (${parts.join(' ')})`;
}

function callSql(expression: PlanExpression, scope: ExpressionScope): string {
  const {
    type,
    children = [],
    ignore_nulls,
    distinct,
    arg_orders = [],
    offset_expr,
    default_expr,
  } = expression;
  const nulls = ignore_nulls === true ? ' IGNORE NULLS' : '';
  if (type === 'WINDOW_AGGREGATE')
    return nulls === ''
      ? aggregateCall(expression, scope, distinct === true, arg_orders)
      : unsupported('an aggregate that ignores NULLs');
  const name = FUNCTIONS[type];
  if (name === undefined) return unsupported(`the window function ${type}`);
  const extras = [offset_expr, default_expr].filter((extra) => extra !== undefined && extra !== null);
  if (offset_expr === undefined && extras.length > 0) return unsupported('a default without an offset');
  const items = [...children, ...extras].map((item) => scope.render(item, scope));
  const order = arg_orders.length === 0 ? '' : ` ORDER BY ${orderSql(arg_orders, scope)}`;
  return `${name}(${distinct === true ? 'DISTINCT ' : ''}${items.join(', ')}${order}${nulls})`;
}

const EXCLUSIONS: Readonly<Record<string, string>> = {
  NO_OTHER: '',
  CURRENT_ROW: ' EXCLUDE CURRENT ROW',
  GROUP: ' EXCLUDE GROUP',
  TIES: ' EXCLUDE TIES',
};

function frameSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { start = '', end = '', start_expr, end_expr, exclude_clause = 'NO_OTHER' } = expression;
  const exclusion = EXCLUSIONS[exclude_clause];
  if (exclusion === undefined) return unsupported(`EXCLUDE ${exclude_clause}`);
  const units = new Set(
    [start, end].flatMap((boundary) => /_(ROWS|RANGE|GROUPS)$/.exec(boundary)?.[1] ?? []),
  );
  const [unit = 'RANGE', ...others] = units;
  if (others.length > 0) return unsupported('a frame of several units');
  const from = boundarySql(start, start_expr, expression, scope);
  const to = boundarySql(end, end_expr, expression, scope);
  return `${unit} BETWEEN ${from} AND ${to}${exclusion}`;
}

function boundarySql(
  boundary: string,
  offset: PlanExpression | null | undefined,
  window: PlanExpression,
  scope: ExpressionScope,
): string {
  const match = /^(UNBOUNDED|CURRENT|EXPR)_(PRECEDING|FOLLOWING|ROW)(?:_(ROWS|RANGE|GROUPS))?$/.exec(
    boundary,
  );
  if (match === null) return unsupported(`the frame boundary ${boundary}`);
  const [, kind, direction, unit] = match;
  if (kind === 'CURRENT') return 'CURRENT ROW';
  if (kind === 'UNBOUNDED') return `UNBOUNDED ${direction}`;
  if (offset === undefined || offset === null) return unsupported('a frame boundary without its offset');
  const given =
    unit === 'RANGE' ? rangeOffset(offset, direction === 'PRECEDING', window.orders ?? []) : offset;
  return `${scope.render(given, scope)} ${direction}`;
}

/**
 * The `n` of `n PRECEDING`: binding replaces it by the value `order - n` (`order + n` for a descending
 * order).
 */
function rangeOffset(
  boundary: PlanExpression,
  isPreceding: boolean,
  orders: readonly PlanOrder[],
): PlanExpression {
  const [order, ...others] = orders;
  const { name, children = [] } = withoutCast(boundary);
  const [value, offset] = children;
  const expected = isPreceding === (order?.type === 'DESCENDING') ? '+' : '-';
  if (
    order === undefined ||
    others.length > 0 ||
    name !== expected ||
    value === undefined ||
    offset === undefined
  )
    return unsupported('the offset of a RANGE');
  if (!isDeepStrictEqual(withoutCast(value), withoutCast(order.expression)))
    return unsupported('the offset of a RANGE');
  return offset;
}

const withoutCast = (expression: PlanExpression): PlanExpression =>
  expression.type === 'OPERATOR_CAST' && expression.child !== undefined
    ? withoutCast(expression.child)
    : expression;
