import { fail } from '@tessera/common';
import {
  and,
  call,
  comparison,
  constant,
  isExpression,
  isQueryNode,
  isTableRef,
  type QueryNode,
  type SelectNode,
  walkTree,
} from '../tree.ts';

/**
 * Keeps the row of an aggregate without keys for rows of an outer query that have no match, which the kernel loses below a set
 * operation, DISTINCT and ORDER BY:
 *     SELECT * FROM t, LATERAL (SELECT max(r.a) FROM r WHERE r.a < t.a UNION ALL SELECT 1)
 *       →   SELECT * FROM t, LATERAL (SELECT max(r.a) FROM r WHERE r.a < t.a HAVING count(*) >= 0 UNION ALL SELECT 1)
 * The kernel takes every operator for one that a row of NULLs does not pass, unless one of the aggregates is a count.
 * It loses the row of an empty grouping set beside others in any place, which is refused if an outer relation is named.
 * @param isAggregate whether a function of this name, in lower case, is an aggregate
 * @throws TesseraError NOT_SUPPORTED for ROLLUP, CUBE and empty grouping sets in a query with columns of an outer relation
 */
export function unmatchedAggregates<T>(statement: T, isAggregate: (name: string) => boolean): T {
  return rewritten(statement, { around: [], seesOuter: false, isBelow: false, isAggregate }) as T;
}

interface Place {
  /** The queries around it, the outermost one first. */
  readonly around: readonly SelectNode[];
  /** Whether the query may use columns of a query around it. */
  readonly seesOuter: boolean;
  /** Whether a set operation, DISTINCT or ORDER BY is between it and that query. */
  readonly isBelow: boolean;
  readonly isAggregate: (name: string) => boolean;
}

function rewritten(value: unknown, place: Place): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isExpression(value) && value.class === 'CONSTANT') return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => rewritten(item, place));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  const within = isQueryNode(value) ? placeWithin(value, place) : place;
  if (isQueryNode(value) && value.type === 'SELECT_NODE') requireMatches(value, place);
  let node = value as Record<string, unknown>;
  for (const [key, child] of Object.entries(value)) {
    const changed = rewritten(child, placeOfChild(value, key, within));
    if (changed === child) continue;
    if (node === value) node = { ...node };
    node[key] = changed;
  }
  return isQueryNode(node) && within.seesOuter && within.isBelow ? counted(node, within) : node;
}

const placeWithin = (node: QueryNode, { around, isBelow, ...place }: Place): Place => ({
  ...place,
  around: node.type === 'SELECT_NODE' ? [...around, node] : around,
  isBelow: isBelow || loses(node),
});

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
  if (node.type !== 'SELECT_NODE' || !isOneGroup(node, isAggregate)) return node;
  const always = comparison('COMPARE_GREATERTHANOREQUALTO', call('count_star'), constant(0));
  return { ...node, having: node.having === null ? always : and(node.having, always) };
}

/** Refuses grouping sets among which the kernel loses the empty one for rows of an outer relation without a match. */
function requireMatches(node: SelectNode, { seesOuter, around }: Place): void {
  const { group_sets } = node;
  if (!seesOuter || group_sets.length < 2 || group_sets.every((set) => set.length > 0)) return;
  const own = relationNames(node, true);
  const outer = new Set(around.flatMap(({ from_table }) => [...relationNames(from_table, false)]));
  walkTree(node, (part) => {
    if (!isExpression(part) || part.class !== 'COLUMN_REF' || part.column_names.length < 2) return;
    const name = part.column_names[0]!.toLowerCase();
    if (own.has(name) || !outer.has(name)) return;
    const what = 'ROLLUP, CUBE or an empty grouping set in a subquery with columns of the query around it';
    fail('NOT_SUPPORTED', { what, hint: 'write the total as a query of its own, with UNION ALL' });
  });
}

/** The names, in lower case, by which relations are called. @param isDeep also in the queries of FROM */
function relationNames(value: unknown, isDeep: boolean): Set<string> {
  const names = new Set<string>();
  const add = (part: unknown): void => {
    if (part === null || typeof part !== 'object' || (!isDeep && isQueryNode(part))) return;
    if (isExpression(part) && part.class === 'CONSTANT') return;
    if (isTableRef(part)) {
      const name = part.alias || (part.type === 'BASE_TABLE' ? part.table_name : '');
      if (name !== '') names.add(name.toLowerCase());
    }
    for (const child of Object.values(part)) add(child);
  };
  add(value);
  return names;
}

const isOneGroup = (
  { group_expressions, group_sets, having, select_list, modifiers }: SelectNode,
  isAggregate: Place['isAggregate'],
): boolean =>
  group_expressions.length === 0 &&
  (having !== null || group_sets.length > 0 || hasCall([select_list, modifiers], isAggregate));

/** Whether one of the expressions contains such a call outside its subqueries. */
function hasCall(value: unknown, isMeant: (name: string) => boolean): boolean {
  if (value === null || typeof value !== 'object' || isQueryNode(value)) return false;
  if (isExpression(value) && value.class === 'CONSTANT') return false;
  if (isExpression(value) && value.class === 'FUNCTION' && isMeant(value.function_name.toLowerCase()))
    return true;
  return Object.values(value).some((child) => hasCall(child, isMeant));
}
