import type { WindowNode } from '../tree.ts';

/** Aggregates whose value does not depend on the order of their rows. */
const UNORDERED: ReadonlySet<string> = new Set([
  'avg',
  'bool_and',
  'bool_or',
  'count',
  'count_if',
  'count_star',
  'max',
  'min',
  'sum',
]);

/**
 * In an ordered window whose frame is the whole partition, the kernel gives rows the aggregate of other partitions as soon as
 * about a million rows have their partitions for themselves. The order of such a window only matters inside the aggregate:
 *     string_agg(a, ',') OVER (PARTITION BY k ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
 *       →   string_agg(a, ',' ORDER BY b) OVER (PARTITION BY k)
 */
export function wholePartition(node: WindowNode): WindowNode {
  const { function_name, orders, arg_orders, distinct } = node;
  if (orders.length === 0 || !isAggregateOfPartition(node)) return node;
  const unordered = { ...node, orders: [], end: 'CURRENT_ROW_RANGE' };
  if (arg_orders.length > 0 || UNORDERED.has(function_name.toLowerCase())) return unordered;
  // The kernel orders the values of DISTINCT by nothing but themselves.
  return distinct ? node : { ...unordered, arg_orders: orders };
}

const isAggregateOfPartition = ({ type, start, end, exclude_clause }: WindowNode): boolean =>
  type === 'WINDOW_AGGREGATE' &&
  start === 'UNBOUNDED_PRECEDING' &&
  end === 'UNBOUNDED_FOLLOWING' &&
  exclude_clause === 'NO_OTHER';
