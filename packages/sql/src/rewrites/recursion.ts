import { fail, isSameName } from '@tessera/common';
import { DIALECT_FUNCTIONS } from '../functions/registry.ts';
import type { ParsedQuery } from '../parse/parse.ts';
import {
  type Expression,
  isExpression,
  isQueryNode,
  isTableRef,
  type QueryNode,
  type TableRef,
  visitChildren,
  walkTree,
} from '../tree.ts';

const AGGREGATES: ReadonlySet<string> = new Set([
  'count_star',
  ...DIALECT_FUNCTIONS.filter(({ category }) => category === 'aggregate').flatMap(({ name, aliases }) => [
    name,
    ...(aliases ?? []),
  ]),
]);

/** The parts of a recursive query that cannot refer to it, as error messages name them. */
type Forbidden = 'its non-recursive term' | 'a subquery' | 'an outer join' | 'INTERSECT ALL' | 'EXCEPT';

type Refuse = (message: string, at: Expression | TableRef) => never;

const WITH_RECURSIVE = /^\s*with\s+recursive\b/i;

/**
 * Refuses the references of queries of WITH RECURSIVE to themselves that PostgreSQL refuses. A recursive term depends on one
 * relation, the rows of the last round; otherwise the recursion may never end, as in these:
 *     WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT sum(a) FROM r) SELECT * FROM r
 *     WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT x.a FROM r x, r y) SELECT * FROM r
 * @throws TesseraError INVALID_RECURSION
 */
export function checkRecursion({ statement, locate, sourceAt }: ParsedQuery): void {
  const source = sourceAt(0);
  if (!/\brecursive\b/i.test(source)) return;
  const refuse: Refuse = (message, { query_location }) =>
    fail('INVALID_RECURSION', { message }, { location: locate(query_location) });
  if (WITH_RECURSIVE.test(source)) {
    for (const { key, value } of statement.node.cte_map.map)
      if (value.query.node.type !== 'RECURSIVE_CTE_NODE') refuseWithoutUnion(value.query.node, key, refuse);
  }
  walkTree(statement, (node) => {
    if (isQueryNode(node) && node.type === 'RECURSIVE_CTE_NODE') checkReferences(node, refuse);
  });
}

/** Refuses `WITH RECURSIVE r AS (SELECT * FROM r)`, whose tree is that of a query without RECURSIVE. */
function refuseWithoutUnion(query: QueryNode, name: string, refuse: Refuse): void {
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object' || (isQueryNode(value) && hides(value, name))) return;
    if (isTableRef(value) && isReference(value, name))
      refuse(
        `The recursive query "${name}" must have the form non-recursive term UNION [ALL] recursive term`,
        value,
      );
    visitChildren(value, visit);
  };
  visit(query);
}

/** Whether a name means another query inside of a query than around it. */
const hides = (query: QueryNode, name: string): boolean =>
  (query.type === 'RECURSIVE_CTE_NODE' && isSameName(query.cte_name, name)) ||
  query.cte_map.map.some(({ key }) => isSameName(key, name));

function checkReferences(
  { cte_name: name, cte_map, left, right }: Extract<QueryNode, { type: 'RECURSIVE_CTE_NODE' }>,
  refuse: Refuse,
): void {
  let references = 0;
  const visit = (value: unknown, forbidden?: Forbidden): void => {
    if (value === null || typeof value !== 'object') return;
    if (isQueryNode(value)) visitQuery(value, forbidden);
    else if (isTableRef(value)) visitTable(value, forbidden);
    else if (!isExpression(value)) visitAll(value, forbidden);
    else if (value.class === 'SUBQUERY') {
      visit(value.child, forbidden);
      visit(value.subquery, forbidden ?? 'a subquery');
    } else if (value.class !== 'CONSTANT') visitAll(value, forbidden);
  };
  const visitAll = (value: object, forbidden?: Forbidden): void => {
    visitChildren(value, (child) => visit(child, forbidden));
  };
  const visitTable = (ref: TableRef, forbidden?: Forbidden): void => {
    if (isReference(ref, name)) {
      if (forbidden !== undefined)
        refuse(`The recursive query "${name}" must not refer to itself in ${forbidden}`, ref);
      references += 1;
      if (references > 1)
        refuse(`The recursive query "${name}" must not refer to itself more than once`, ref);
    } else if (ref.type === 'JOIN') {
      const { left, right, join_type, ...rest } = ref;
      const optional = forbidden ?? 'an outer join';
      visit(left, /^(?:RIGHT|FULL)$/.test(join_type) ? optional : forbidden);
      visit(right, /^(?:LEFT|FULL)$/.test(join_type) ? optional : forbidden);
      visitAll(rest, forbidden);
    } else visitAll(ref, forbidden);
  };
  const visitQuery = (query: QueryNode, forbidden?: Forbidden): void => {
    if (hides(query, name)) return;
    if (query.type === 'SET_OPERATION_NODE' && /^(?:INTERSECT|EXCEPT)$/.test(query.setop_type)) {
      const { left, right, setop_type, setop_all, ...rest } = query;
      const isExcept = setop_type === 'EXCEPT';
      const inAll = isExcept ? 'EXCEPT' : 'INTERSECT ALL';
      visit(left, forbidden ?? (setop_all ? inAll : undefined));
      visit(right, forbidden ?? (setop_all || isExcept ? inAll : undefined));
      visitAll(rest, forbidden);
      return;
    }
    visitAll(query, forbidden);
    if (query.type !== 'SELECT_NODE' || !reads(query.from_table, name)) return;
    const aggregate = firstAggregate([query.select_list, query.having, query.modifiers]);
    if (aggregate !== undefined)
      refuse(`Aggregate functions are not allowed in the recursive term of the query "${name}"`, aggregate);
  };
  visit(left, 'its non-recursive term');
  visit(cte_map, 'a subquery');
  visit(right);
}

const isReference = (ref: TableRef, name: string): boolean =>
  ref.type === 'BASE_TABLE' && ref.schema_name === '' && isSameName(ref.table_name, name);

/** Whether a query reads a common table expression itself, not in a subquery. */
const reads = (from: TableRef, name: string): boolean =>
  from.type === 'JOIN' ? reads(from.left, name) || reads(from.right, name) : isReference(from, name);

/** An aggregate of the query itself, not of a subquery. */
function firstAggregate(value: unknown): Expression | undefined {
  if (value === null || typeof value !== 'object' || isQueryNode(value)) return undefined;
  if (isExpression(value) && value.class === 'FUNCTION' && AGGREGATES.has(value.function_name.toLowerCase()))
    return value;
  for (const child of Object.values(value)) {
    const found = firstAggregate(child);
    if (found !== undefined) return found;
  }
  return undefined;
}
