import { kernelCall } from '../functions/expressions.ts';
import {
  and,
  constant,
  type Expression,
  type FunctionNode,
  type OrderNode,
  operator,
  someExpression,
  spelling,
} from '../tree.ts';

const JOINING: ReadonlySet<string> = new Set(['string_agg', 'listagg', 'group_concat']);

/**
 * `array_agg(DISTINCT x)` → `array_agg(DISTINCT x ORDER BY x)`, and the same for `string_agg`: PostgreSQL sorts to find distinct values.
 *
 * `array_agg(DISTINCT f(x) ORDER BY f(x))` → `list_sort(array_agg(DISTINCT f(x)), …)`; the values of `string_agg`
 * are joined afterwards. The kernel requires the sort key to be the argument, and takes two calls for different ones if their
 * macros may raise an error.
 */
export function sortedDistinct(node: FunctionNode): Expression {
  const { function_name: name, distinct, children, order_bys, filter } = node;
  const [value, separator] = children;
  const [given, another] = order_bys.orders;
  const isJoining = JOINING.has(name);
  if (!distinct || value === undefined || another !== undefined) return node;
  if (name !== 'array_agg' && !isJoining) return node;
  const order = given ?? ascending(value);
  if (!someExpression(value, isMacro)) return { ...node, order_bys: { ...order_bys, orders: [order] } };
  if (spelling(order.expression) !== spelling(value)) return node;
  const isNotNull = operator('OPERATOR_IS_NOT_NULL', value);
  const values: FunctionNode = {
    ...node,
    alias: '',
    function_name: 'array_agg',
    children: [value],
    order_bys: { ...order_bys, orders: [] },
    filter: !isJoining ? filter : filter === null ? isNotNull : and(filter, isNotNull),
  };
  const isDescending = order.type === 'DESCENDING';
  const nulls = isDescending ? 'NULLS FIRST' : 'NULLS LAST';
  const sorted = kernelCall(
    'list_sort',
    values,
    constant(isDescending ? 'DESC' : 'ASC'),
    constant(order.null_order === 'ORDER_DEFAULT' ? nulls : order.null_order),
  );
  const result = isJoining ? kernelCall('array_to_string', sorted, separator ?? constant(',')) : sorted;
  return { ...result, alias: node.alias };
}

const ascending = (value: Expression): OrderNode => ({
  type: 'ASCENDING',
  null_order: 'NULLS LAST',
  expression: { ...value, alias: '' },
});

const isMacro = (node: Expression): boolean =>
  node.class === 'FUNCTION' && node.function_name.startsWith('tsr_');
