import { fail } from '@tessera/common';
import {
  and,
  call,
  comparison,
  constant,
  isExpression,
  isQueryNode,
  isTableRef,
  mapChildren,
  type QueryNode,
  type SelectNode,
} from '../tree.ts';

/**
 * Keeps the row of an aggregate without keys, and that of an empty grouping set, for rows of an outer query that have no match. The
 * kernel loses it below a set operation, DISTINCT and ORDER BY:
 *     SELECT * FROM t, LATERAL (SELECT max(r.a) FROM r WHERE r.a < t.a UNION ALL SELECT 1)
 *       →   SELECT * FROM t, LATERAL (SELECT max(r.a) FROM r WHERE r.a < t.a HAVING count(*) >= 0 UNION ALL SELECT 1)
 * The kernel takes every operator for one that a row of NULLs does not pass, unless one of the aggregates is a count.
 * @param isAggregate whether a function of this name, in lower case, is an aggregate
 * @throws TesseraError NOT_SUPPORTED for several empty grouping sets, of whose rows the kernel would keep one
 */
export function unmatchedAggregates<T>(statement: T, isAggregate: (name: string) => boolean): T {
  return rewritten(statement, { seesOuter: false, isBelow: false, isAggregate }) as T;
}

interface Place {
  /** Whether the query may use columns of a query around it. */
  readonly seesOuter: boolean;
  /** Whether a set operation, DISTINCT or ORDER BY is between it and that query. */
  readonly isBelow: boolean;
  readonly isAggregate: (name: string) => boolean;
}

function rewritten(value: unknown, place: Place): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isExpression(value) && value.class === 'CONSTANT') return value;
  if (Array.isArray(value)) return mapChildren(value, (item) => rewritten(item, place));
  const within = isQueryNode(value) ? { ...place, isBelow: place.isBelow || loses(value) } : place;
  if (isQueryNode(value) && place.seesOuter) requireOneTotal(value);
  const node = mapChildren(value, (child, key) => rewritten(child, placeOfChild(value, key, within)));
  return isQueryNode(node) && within.seesOuter && within.isBelow ? counted(node, within) : node;
}

function placeOfChild(parent: object, key: string, place: Place): Place {
  if (isExpression(parent) && parent.class === 'SUBQUERY' && key === 'subquery')
    return { ...place, seesOuter: true, isBelow: false };
  if (isTableRef(parent) && parent.type === 'JOIN' && key === 'right') return { ...place, seesOuter: true };
  // The names of a WITH may be read below any operator of the query.
  return key === 'cte_map' ? { ...place, isBelow: true } : place;
}

const loses = (node: QueryNode): boolean =>
  node.type === 'SET_OPERATION_NODE' ||
  node.modifiers.some(({ type }) => type === 'DISTINCT_MODIFIER' || type === 'ORDER_MODIFIER');

function counted(node: QueryNode, { isAggregate }: Place): QueryNode {
  if (node.type !== 'SELECT_NODE' || !hasTotal(node, isAggregate)) return node;
  const always = comparison('COMPARE_GREATERTHANOREQUALTO', call('count_star'), constant(0));
  return { ...node, having: node.having === null ? always : and(node.having, always) };
}

function requireOneTotal(node: QueryNode): void {
  if (node.type !== 'SELECT_NODE' || node.group_sets.filter((set) => set.length === 0).length < 2) return;
  const hint = 'write each total as a query of its own, with UNION ALL';
  fail('NOT_SUPPORTED', {
    what: 'GROUPING SETS with several empty sets in a subquery of an expression or of JOIN',
    hint,
  });
}

/** Whether the query returns a row if it reads none. */
const hasTotal = (
  { group_expressions, group_sets, having, select_list, modifiers }: SelectNode,
  isAggregate: Place['isAggregate'],
): boolean =>
  group_sets.length > 0
    ? group_sets.some((set) => set.length === 0)
    : group_expressions.length === 0 && (having !== null || hasCall([select_list, modifiers], isAggregate));

/** Whether one of the expressions contains such a call outside its subqueries. */
function hasCall(value: unknown, isMeant: (name: string) => boolean): boolean {
  if (value === null || typeof value !== 'object' || isQueryNode(value)) return false;
  if (isExpression(value) && value.class === 'CONSTANT') return false;
  if (isExpression(value) && value.class === 'FUNCTION' && isMeant(value.function_name.toLowerCase()))
    return true;
  return Object.values(value).some((child) => hasCall(child, isMeant));
}
