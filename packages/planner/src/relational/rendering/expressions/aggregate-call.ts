import type { PlanExpression, PlanOrder, PlanValue } from '../../../plan-nodes.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { quotedText } from '../type-sql.ts';
import { constantSql } from './constant.ts';
import type { ExpressionScope } from './expression-scope.ts';
import { orderSql } from './order.ts';

/** Renders an aggregate over a group. */
export function aggregateSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { aggregate_type, filter, order_bys } = expression;
  if (aggregate_type !== 'DISTINCT' && aggregate_type !== 'NON_DISTINCT')
    return unsupported(`an aggregate of ${aggregate_type}`);
  const call = aggregateCall(expression, scope, aggregate_type === 'DISTINCT', order_bys?.orders ?? []);
  return filter === undefined || filter === null
    ? call
    : `${call} FILTER (WHERE ${scope.render(filter, scope)})`;
}

/** Renders the call of an aggregate, as a group or a window computes it, without FILTER. */
export function aggregateCall(
  expression: PlanExpression,
  scope: ExpressionScope,
  isDistinct: boolean,
  orders: readonly PlanOrder[],
): string {
  const { name = '', children = [] } = expression;
  if (name === 'count_star') return 'count(*)';
  const asked = isDistinct ? children.map((child) => beforeCast(child, orders, scope)) : children;
  const items = [...asked.map((child) => scope.render(child, scope)), ...foldedArguments(expression)];
  const distinct = isDistinct ? 'DISTINCT ' : '';
  const { within, order } = ordered(expression, orders, scope);
  if (within !== undefined) {
    const [subject, ...others] = items;
    if (isDistinct || subject === undefined) return unsupported('a descending quantile of distinct values');
    return `"${name.replace('quantile', 'percentile')}"(${others.join(', ')}) WITHIN GROUP (ORDER BY ${subject} ${within})`;
  }
  return `"${name}"(${distinct}${items.join(', ')}${order})`;
}

/**
 * `string_agg(DISTINCT CAST(n AS VARCHAR) ORDER BY n)` → `string_agg(DISTINCT n ORDER BY n)`: distinct values
 * can only be ordered by an argument as it is written, and binding adds the cast again.
 */
function beforeCast(
  argument: PlanExpression,
  orders: readonly PlanOrder[],
  scope: ExpressionScope,
): PlanExpression {
  const { expression_class, child } = argument;
  if (expression_class !== 'BOUND_CAST' || child === undefined || child === null) return argument;
  const inner = scope.render(child, scope);
  return orders.some(({ expression }) => scope.render(expression, scope) === inner) ? child : argument;
}

/** Session settings that functions store in their data; binding in an equal session restores them. */
const SETTINGS = new Set(['tz_setting', 'cal_setting']);

/** The arguments of an aggregate that binding folds away, reconstructed from its data. */
export function foldedArguments(expression: PlanExpression): readonly string[] {
  const { name = '', function_data } = expression;
  if (function_data === undefined) return [];
  if (Object.keys(function_data).every((key) => SETTINGS.has(key))) return [];
  switch (name) {
    case 'string_agg':
    case 'group_concat':
    case 'listagg': {
      const { separator } = function_data;
      return [quotedText(typeof separator === 'string' ? separator : unsupported('a separator'))];
    }
    case 'quantile':
    case 'quantile_cont':
    case 'quantile_disc':
      return [fractions(expression, (item) => constantSql(item as PlanValue))];
    case 'approx_quantile':
      return [fractions(expression, (item) => numberSql(item, 'FLOAT'))];
    case 'reservoir_quantile':
      return [
        fractions(expression, (item) => numberSql(item, 'DOUBLE')),
        numberSql(function_data.sample_size, 'INTEGER'),
      ];
    case 'bitstring_agg': {
      const { min, max } = function_data as { readonly min?: PlanValue; readonly max?: PlanValue };
      if (min === undefined || max === undefined) return unsupported('the range of bitstring_agg');
      return min.is_null === true ? [] : [constantSql(min), constantSql(max)];
    }
    case 'median':
    case 'mad':
    case 'sum_no_overflow':
    case 'sum':
    case 'avg':
      return [];
    default:
      return unsupported(`the arguments of ${name}`);
  }
}

function fractions(
  { name, function_data, original_arguments, return_type }: PlanExpression,
  render: (item: unknown) => string,
): string {
  const values = function_data?.quantiles;
  if (!Array.isArray(values) || values.length === 0) return unsupported('a quantile without its fraction');
  const items = values.map(render);
  const isList =
    original_arguments?.[1]?.id === 'LIST' || (name === 'approx_quantile' && return_type?.id === 'LIST');
  if (!isList && items.length > 1) return unsupported('the fractions of a quantile');
  return isList ? `[${items.join(', ')}]` : (items[0] ?? '');
}

const numberSql = (value: unknown, type: string): string =>
  typeof value === 'number' ? `CAST('${value}' AS ${type})` : unsupported(`a number of type ${type}`);

function ordered(
  { name = '', function_data, children = [] }: PlanExpression,
  orders: readonly PlanOrder[],
  scope: ExpressionScope,
): { readonly within?: string; readonly order: string } {
  if (function_data?.desc === true) {
    if (orders.length > 0 || !/^quantile_(?:cont|disc)$/.test(name))
      return unsupported('a descending quantile');
    return { within: 'DESC', order: '' };
  }
  // The kernel takes a constant argument of `mode(3 ORDER BY 3)` for the fraction of a percentile.
  const isOfConstant = name === 'mode' && children.every(({ type }) => type === 'VALUE_CONSTANT');
  if (isOfConstant || orders.length === 0) return { order: '' };
  return { order: ` ORDER BY ${orderSql(orders, scope)}` };
}
