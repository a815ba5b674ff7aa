import type { FewRows } from '@tessera/kernel';
import type { Expression, QueryNode, ResultModifier, SelectNode, Statement } from '../tree.ts';
import { visitChildren, walkTree } from '../tree.ts';

/** The number of rows in a vector of the kernel. */
const VECTOR_ROWS = 2_048;

/** Aggregates that keep one value of all rows. */
const OF_ONE_VALUE: ReadonlySet<string> = new Set([
  'avg',
  'count',
  'count_if',
  'count_star',
  'max',
  'min',
  'sum',
]);
/** Aggregates that short queries use. A query with another one is only not recognised as returning one row. */
const AGGREGATES = new Set([...OF_ONE_VALUE, 'any_value', 'approx_count_distinct']);

/**
 * Whether a query reads nothing, as `SELECT 42`: its rows consist of constants and function results. A
 * kernel that keeps such a query prepared keeps neither rows nor conclusions from them.
 */
export function readsNothing({ node }: Statement): boolean {
  if (node.type !== 'SELECT_NODE' || node.from_table.type !== 'EMPTY') return false;
  if (node.modifiers.length > 0 || node.cte_map.map.length > 0 || node.group_expressions.length > 0)
    return false;
  let isAlone = true;
  for (const expression of [node.where_clause, node.having, node.qualify, ...node.select_list]) {
    if (expression === null) continue;
    walkTree(expression, (inner) => {
      if (!('class' in inner) || inner.class === 'SUBQUERY') isAlone = false;
    });
  }
  return isAlone;
}

/**
 * Whether a query only computes aggregates of one value, of all rows of one relation that satisfy a condition. A kernel that keeps it prepared
 * keeps neither hash tables nor rows.
 */
export function keepsNoRows({ node }: Statement): boolean {
  if (node.type !== 'SELECT_NODE' || node.from_table.type !== 'BASE_TABLE') return false;
  if (node.from_table.sample !== null || node.sample !== null) return false;
  if (node.modifiers.length > 0 || node.cte_map.map.length > 0) return false;
  if (!isOneRow(node) || node.having !== null || node.qualify !== null) return false;
  const areOfOneValue = node.select_list.every(
    (item) =>
      item.class === 'FUNCTION' &&
      OF_ONE_VALUE.has(item.function_name.toLowerCase()) &&
      item.children.length <= 1 &&
      !item.distinct &&
      item.order_bys.orders.length === 0,
  );
  return areOfOneValue && [node.where_clause, ...node.select_list].every(isRowWise);
}

/** Whether an expression has neither subqueries nor window functions. */
function isRowWise(expression: Expression | null): boolean {
  let isRowWise = true;
  if (expression !== null)
    walkTree(expression, (inner) => {
      if ('class' in inner && (inner.class === 'SUBQUERY' || inner.class === 'WINDOW')) isRowWise = false;
    });
  return isRowWise;
}

/**
 * Whether a query certainly returns no more rows than one vector of the kernel. `perhaps`: it filters the rows of one relation
 * and may be run again, because computing its first rows costs no more than a part of the whole.
 */
export function returnsFewRows({ node }: Statement): FewRows {
  if (node.modifiers.some(limitsToVector)) return true;
  if (node.type !== 'SELECT_NODE') return false;
  if (isOneRow(node)) return true;
  return isFilteredScan(node) && 'perhaps';
}

/** Rows of one relation that satisfy a condition, one by one: no groups, windows, joins, subqueries and order. */
function isFilteredScan(node: SelectNode): boolean {
  if (node.where_clause === null || node.from_table.type !== 'BASE_TABLE') return false;
  if (node.modifiers.length > 0 || node.cte_map.map.length > 0) return false;
  if (node.group_expressions.length > 0 || node.having !== null || node.qualify !== null) return false;
  if (node.aggregate_handling !== 'STANDARD_HANDLING') return false;
  return [node.where_clause, ...node.select_list].every(isRowWise);
}

function limitsToVector(modifier: ResultModifier): boolean {
  if (modifier.type !== 'LIMIT_MODIFIER' || modifier.limit?.class !== 'CONSTANT') return false;
  const { value } = modifier.limit.value;
  return typeof value === 'number' && value <= VECTOR_ROWS;
}

/** A query without FROM, or an aggregate without groups. `unnest` makes many rows of one, and GROUP BY ALL has groups. */
function isOneRow(node: SelectNode): boolean {
  if (node.group_expressions.length > 0 || node.group_sets.length > 0) return false;
  if (node.aggregate_handling !== 'STANDARD_HANDLING') return false;
  const isAggregate = node.select_list.some((item) => calls(item, AGGREGATES));
  return (
    (isAggregate || node.from_table.type === 'EMPTY') && !node.select_list.some((item) => calls(item, UNNEST))
  );
}

const UNNEST: ReadonlySet<string> = new Set(['unnest']);

/** Whether an expression calls one of the functions outside of subqueries. */
function calls(expression: Expression, names: ReadonlySet<string>): boolean {
  let found = false;
  const search = (value: unknown): void => {
    if (found || value === null || typeof value !== 'object') return;
    const node = value as Expression | QueryNode;
    if ('class' in node && node.class === 'SUBQUERY') return;
    if ('class' in node && node.class === 'FUNCTION' && names.has(node.function_name.toLowerCase()))
      found = true;
    else visitChildren(value, search);
  };
  search(expression);
  return found;
}
