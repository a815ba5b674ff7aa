import {
  caseOf,
  constant,
  type Expression,
  type FunctionNode,
  type OrderNode,
  type WindowNode,
} from '../tree.ts';
import { internalCall, isNullLiteral, operatorCall } from './expressions.ts';
import type { Implementation } from './types.ts';

/**
 * `percentile_cont(p) WITHIN GROUP (ORDER BY x)`, which the parser writes as `quantile_cont(p ORDER BY x)`.
 * The values are cast to double, since the kernel would interpolate decimals in their own scale. With OVER,
 * the kernel only supports `quantile_cont(x, p) OVER (…)`; a descending order (DESC) becomes `1 - p`.
 */
export const PERCENTILE_CONT: Implementation = {
  kind: 'ordered aggregate',
  rewrite: (node) => (node.class === 'WINDOW' ? overWindow(node) : withinGroup(node)),
};

/** `percentile_disc(p) WITHIN GROUP (ORDER BY x)`; the kernel refuses the literal NULL. */
export const PERCENTILE_DISC: Implementation = {
  kind: 'ordered aggregate',
  rewrite: (node) =>
    node.class === 'FUNCTION' && isNullLiteral(node.children[0]) ? neverComputed(node) : undefined,
};

/** NULL instead of an aggregate at the fraction NULL. The aggregate that is never computed gives the type, and groups the rows. */
const neverComputed = (
  node: FunctionNode,
  form: (median: FunctionNode) => Expression = (median) => median,
): Expression => ({
  ...caseOf([[constant(false), form({ ...node, children: [constant(0.5)], alias: '' })]], constant(null)),
  alias: node.alias,
});

const asInput = (order: OrderNode): OrderNode => ({
  ...order,
  expression: internalCall('quantile_input', order.expression),
});

function withinGroup(node: FunctionNode): Expression | undefined {
  const { orders } = node.order_bys;
  if (orders.length !== 1) return undefined;
  if (isNullLiteral(node.children[0])) return neverComputed(node, (median) => withinGroup(median)!);
  return { ...node, order_bys: { ...node.order_bys, orders: orders.map(asInput) } };
}

function overWindow(node: WindowNode): Expression | undefined {
  const [order] = node.arg_orders;
  const [fraction] = node.children;
  if (order === undefined || fraction === undefined || node.arg_orders.length > 1) return undefined;
  const position = order.type === 'DESCENDING' ? operatorCall('-', constant(1), fraction) : fraction;
  return {
    ...node,
    function_name: 'quantile_cont',
    children: [asInput(order).expression, position],
    arg_orders: [],
  };
}
