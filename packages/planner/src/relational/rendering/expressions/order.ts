import type { PlanOrder } from '../../../plan-nodes.ts';
import { unsupported } from '../../unsupported-plan.ts';
import type { ExpressionScope } from './expression-scope.ts';

/** Renders an ORDER BY list inside a call. */
export function orderSql(orders: readonly PlanOrder[], scope: ExpressionScope): string {
  return orders
    .map(({ type, null_order, expression }) => {
      const direction = ORDERS[`${type} ${null_order.replace('_', ' ')}`];
      return direction === undefined
        ? unsupported(`the order ${type} ${null_order}`)
        : `${scope.render(expression, scope)} ${direction}`;
    })
    .join(', ');
}

const ORDERS: Readonly<Record<string, string>> = {
  'ASCENDING NULLS FIRST': 'ASC NULLS FIRST',
  'ASCENDING NULLS LAST': 'ASC NULLS LAST',
  'DESCENDING NULLS FIRST': 'DESC NULLS FIRST',
  'DESCENDING NULLS LAST': 'DESC NULLS LAST',
};
