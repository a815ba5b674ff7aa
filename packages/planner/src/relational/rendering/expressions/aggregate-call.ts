import type { PlanExpression, PlanOrder, PlanType, PlanValue } from '../../../plan-nodes.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { quotedText } from '../type-sql.ts';
import { constantSql } from './constant.ts';
import type { ExpressionScope } from './expression-scope.ts';
import { orderSql } from './order.ts';

/** An aggregate over a group. */
export function aggregateSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { aggregate_type, filter, order_bys } = expression;
  if (aggregate_type !== 'DISTINCT' && aggregate_type !== 'NON_DISTINCT')
    return unsupported(`an aggregate of ${aggregate_type}`);
  const call = aggregateCall(expression, scope, aggregate_type === 'DISTINCT', order_bys?.orders ?? []);
  return filter === undefined || filter === null
    ? call
    : `${call} FILTER (WHERE ${scope.render(filter, scope)})`;
}

/** The call of an aggregate, as a group or a window computes it, without FILTER. */
export function aggregateCall(
  expression: PlanExpression,
  scope: ExpressionScope,
  isDistinct: boolean,
  orders: readonly PlanOrder[],
): string {
  const { name = '', children = [] } = expression;
  if (name === 'count_star') return 'count(*)';
  const items = [...children.map((child) => scope.render(child, scope)), ...folded(expression)];
  const distinct = isDistinct ? 'DISTINCT ' : '';
  const { within, order } = ordered(expression, orders, scope);
  if (within !== undefined) {
    const [subject, ...others] = items;
    if (isDistinct || subject === undefined) return unsupported('a descending quantile of distinct values');
    return `"${name.replace('quantile', 'percentile')}"(${others.join(', ')}) WITHIN GROUP (ORDER BY ${subject} ${within})`;
  }
  return `"${name}"(${distinct}${items.join(', ')}${order})`;
}

/** Aggregates of which binding folds arguments away, by what it makes of them. */
function folded({ name = '', function_data, original_arguments }: PlanExpression): readonly string[] {
  if (function_data === undefined) return [];
  const keys = Object.keys(function_data).filter((key) => !SETTINGS.has(key));
  if (keys.length === 0) return [];
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
      return [quantiles(function_data.quantiles, original_arguments?.[1])];
    case 'median':
    case 'mad':
      return [];
    case 'approx_quantile':
    case 'reservoir_quantile':
    case 'bitstring_agg':
      return unsupported(`the arguments of ${name}`);
    case 'sum_no_overflow':
    case 'sum':
    case 'avg':
      return [];
    default:
      return unsupported(`the arguments of ${name}`);
  }
}

/** What functions keep of the session; they are bound in one like it again. */
const SETTINGS = new Set(['tz_setting', 'cal_setting']);

function quantiles(values: unknown, type: PlanType | undefined): string {
  if (!Array.isArray(values) || values.length === 0) return unsupported('a quantile without its fraction');
  const items = values.map((value) => constantSql(value as PlanValue));
  return type?.id === 'LIST' ? `[${items.join(', ')}]` : (items[0] ?? '');
}

function ordered(
  { name = '', function_data }: PlanExpression,
  orders: readonly PlanOrder[],
  scope: ExpressionScope,
): { readonly within?: string; readonly order: string } {
  if (function_data?.desc === true) {
    if (orders.length > 0 || !/^quantile_(?:cont|disc)$/.test(name))
      return unsupported('a descending quantile');
    return { within: 'DESC', order: '' };
  }
  return { order: orders.length === 0 ? '' : ` ORDER BY ${orderSql(orders, scope)}` };
}
