import { fail, type SqlLocation } from '@tessera/common';
import { isLambda, lambdaParameters } from '../functions/expressions.ts';
import {
  type ColumnRefNode,
  column,
  type Expression,
  isQueryNode,
  type QueryNode,
  type SelectNode,
  type Statement,
  type TableRef,
  transformTree,
  visitChildren,
  walkTree,
} from '../tree.ts';
import { isSetOperation, withBranches } from './branches.ts';
import { factsWithin, knownFrom, knownIn } from './column-facts.ts';
import { type CatalogColumns, type FactsOf, fromScope, type KnownRelations } from './column-scope.ts';
import { rewriteInScope } from './scoped-expressions.ts';

/**
 * Makes sure that a name in a query means a column and not an item of the query's own SELECT list. The kernel prefers the item to a
 * column of an outer query, so the item gets another name:
 *     … WHERE EXISTS (SELECT n AS id FROM u WHERE id = 1)           →   … (SELECT n AS "id\u00011" FROM u WHERE id = 1)
 *     FROM t, LATERAL (SELECT n AS id, id AS m FROM u) s            →   … (SELECT n AS "id\u00011", id AS m FROM u) s(id, m)
 *     SELECT a AS z FROM t WHERE z = 1                              is refused, as in PostgreSQL, or means `a = 1` in a view
 * @param outermost see `rewriteInScope`
 * @throws TesseraError UNDEFINED_NAME
 */
export function itemNames(
  statement: Statement,
  catalog: CatalogColumns,
  outermost: FactsOf,
  placeOf: PlaceOf,
  isView: boolean,
): Statement {
  if (!mayNameItems(statement)) return statement;
  const same = (node: Expression) => node;
  const inner = rewriteInScope(statement, catalog, outermost, same, (node, known, around) =>
    node.type === 'SELECT_NODE' ? withClearQueries(node, { known, around, placeOf, isView }) : node,
  );
  const surroundings = { known: knownFrom(catalog), around: outermost, placeOf, isView };
  return { ...inner, node: clear(inner.node, surroundings) };
}

type PlaceOf = (reference: Expression) => SqlLocation | undefined;

/** The relations and columns that a query can name. */
interface Surroundings {
  readonly known: KnownRelations;
  /** The facts about the columns of the queries around it. */
  readonly around: FactsOf;
  readonly placeOf: PlaceOf;
  /** Whether the statement is the query of a view, which may be older than the rule. */
  readonly isView: boolean;
}

/** Whether an item of a query has a name that the statement also uses as the name of a column. */
function mayNameItems(statement: Statement): boolean {
  const items = new Set<string>();
  const used = new Set<string>();
  walkTree(statement, (node) => {
    if ('class' in node) {
      if (isName(node)) used.add(lower(node));
    } else if (isQueryNode(node) && node.type === 'SELECT_NODE')
      for (const { alias } of node.select_list) if (alias !== '') items.add(alias.toLowerCase());
  });
  return [...items].some((name) => used.has(name));
}

/** A query whose expressions, relations and common table expressions contain clear queries. */
function withClearQueries(node: SelectNode, surroundings: Surroundings): SelectNode {
  const { known, around } = surroundings;
  const factsOf = factsWithin(() => fromScope(node.from_table, known, around), known, around);
  const { cte_map, from_table, ...expressions } = node;
  const rewritten = transformTree(expressions, {
    skipsQueries: true,
    expression: (part) => {
      if (part.class !== 'SUBQUERY') return part;
      const inner = clear(part.subquery.node, { ...surroundings, around: factsOf }, renamed);
      return inner === part.subquery.node ? part : { ...part, subquery: { ...part.subquery, node: inner } };
    },
  });
  const ctes = cte_map.map.map((cte) => {
    const { query, aliases: given } = cte.value;
    const changed = withNames(query.node, given, surroundings);
    if (changed === undefined) return cte;
    const { node: inner, aliases } = changed;
    return { ...cte, value: { ...cte.value, query: { ...query, node: inner }, aliases } };
  });
  const from = clearFrom(from_table, surroundings);
  const isSame = from === from_table && ctes.every((cte, i) => cte === cte_map.map[i]);
  return isSame && rewritten === expressions
    ? node
    : { ...rewritten, cte_map: { ...cte_map, map: ctes }, from_table: from };
}

/**
 * A query whose WHERE and HAVING name no items.
 * @param rename returns the query with other names for its items, if its result need not keep them
 */
function clear(
  node: QueryNode,
  surroundings: Surroundings,
  rename: typeof renamed | undefined = undefined,
): QueryNode {
  if (isSetOperation(node)) return withBranches(node, (branch) => clear(branch, surroundings));
  if (node.type === 'RECURSIVE_CTE_NODE')
    return { ...node, left: clear(node.left, surroundings), right: clear(node.right, surroundings) };
  if (node.type !== 'SELECT_NODE') return node;
  const inner = { ...surroundings, known: knownIn(node, surroundings.known) };
  return withoutItems(rename?.(node, inner) ?? node, inner);
}

function withoutItems(node: SelectNode, { known, around, placeOf, isView }: Surroundings): SelectNode {
  const names = new Set(node.select_list.map(({ alias }) => alias.toLowerCase()));
  const named = [node.where_clause, node.having].flatMap((part) =>
    part === null ? [] : namesIn(part, { skipsQueries: true }),
  );
  const doubtful = named.filter((ref) => names.has(lower(ref)));
  if (doubtful.length === 0) return node;
  const isMissing = isOnlyItem(node, known, around);
  const isItem = (ref: ColumnRefNode) => isMissing(ref) && around(ref) === undefined;
  const found = doubtful.find(isItem);
  if (found === undefined) return node;
  if (isView) return withItems(node, new Set(doubtful.filter(isItem)));
  const message = `Column "${found.column_names[0]}" does not exist: WHERE and HAVING cannot use the names of the SELECT list`;
  fail('UNDEFINED_NAME', { message }, { location: placeOf(found) });
}

/** `SELECT a AS z FROM t WHERE z = 1` → `SELECT a AS z FROM t WHERE a = 1` */
function withItems(node: SelectNode, names: ReadonlySet<Expression>): SelectNode {
  const expression = (ref: Expression): Expression => {
    if (!names.has(ref) || !isName(ref)) return ref;
    const item = node.select_list.find(({ alias }) => alias.toLowerCase() === lower(ref))!;
    return { ...item, alias: ref.alias, query_location: ref.query_location };
  };
  const changed = (part: Expression | null) =>
    part && transformTree(part, { expression, skipsQueries: true });
  return { ...node, where_clause: changed(node.where_clause), having: changed(node.having) };
}

/** Whether a name is certainly no column of the FROM clause of a query. */
const isOnlyItem = ({ from_table }: SelectNode, known: KnownRelations, around: FactsOf) => {
  const scope = fromScope(from_table, known, around);
  return (ref: ColumnRefNode): boolean => scope.column(ref) === undefined && !scope.mayHave(ref);
};

/** The query with other names for the items that hide columns of the outer query; undefined if there are none. */
function renamed(node: SelectNode, { known, around }: Surroundings): SelectNode | undefined {
  const parts = [...node.select_list, node.where_clause, node.having];
  const named = new Set(parts.flatMap((part) => (part === null ? [] : namesIn(part))).map(lower));
  const hiding = node.select_list.filter(({ alias }) => named.has(alias.toLowerCase()));
  if (hiding.length === 0) return undefined;
  const isMissing = isOnlyItem(node, known, around);
  const names = new Set(
    hiding.flatMap(({ alias }) => {
      const ref = column(alias);
      return isMissing(ref) && around(ref) !== undefined ? [alias.toLowerCase()] : [];
    }),
  );
  if (names.size === 0) return undefined;
  const other = (name: string): string => (names.has(name.toLowerCase()) ? hidden(name) : name);
  const key = (ref: Expression): Expression =>
    isName(ref) ? { ...ref, column_names: ref.column_names.map(other) } : ref;
  return {
    ...node,
    select_list: node.select_list.map((item) => ({ ...item, alias: other(item.alias) })),
    group_expressions: node.group_expressions.map(key),
    qualify: node.qualify && transformTree(node.qualify, { expression: key, skipsQueries: true }),
    modifiers: node.modifiers.map((modifier) => {
      if (modifier.type === 'DISTINCT_MODIFIER')
        return { ...modifier, distinct_on_targets: modifier.distinct_on_targets.map(key) };
      if (modifier.type !== 'ORDER_MODIFIER') return modifier;
      const orders = modifier.orders.map((order) => ({ ...order, expression: key(order.expression) }));
      return { ...modifier, orders };
    }),
  };
}

/** The name of an item that no user can write. */
const hidden = (name: string): string => `${name}\u00011`;

/** A subquery of a FROM clause can name the columns of the relations before it. */
function clearFrom(ref: TableRef, surroundings: Surroundings): TableRef {
  const { known, around } = surroundings;
  if (ref.type === 'JOIN') {
    const left = clearFrom(ref.left, surroundings);
    const before = factsWithin(() => fromScope(ref.left, known, around), known, around);
    const right = clearFrom(ref.right, { ...surroundings, around: before });
    return left === ref.left && right === ref.right ? ref : { ...ref, left, right };
  }
  if (ref.type !== 'SUBQUERY') return ref;
  const changed = withNames(ref.subquery.node, ref.column_name_alias, surroundings);
  if (changed === undefined) return ref;
  return {
    ...ref,
    column_name_alias: changed.aliases,
    subquery: { ...ref.subquery, node: changed.node },
  };
}

/** A clear query with the names of its columns; undefined if it stays as it is. */
function withNames(query: QueryNode, given: readonly string[], surroundings: Surroundings) {
  const names = query.type === 'SELECT_NODE' ? namesOfItems(query) : undefined;
  const node = clear(query, surroundings, names && renamed);
  if (node === query) return undefined;
  return { node, aliases: names?.map((name, i) => given[i] ?? name) ?? given };
}

/** The names of the columns of a query; undefined if it has stars. */
function namesOfItems({ select_list: items }: SelectNode): readonly string[] | undefined {
  if (items.some((item) => item.class === 'STAR')) return undefined;
  return items.map((item) => item.alias || (item.class === 'COLUMN_REF' ? item.column_names.at(-1)! : ''));
}

const isName = (node: unknown): node is ColumnRefNode =>
  (node as ColumnRefNode).class === 'COLUMN_REF' && (node as ColumnRefNode).column_names.length === 1;

const lower = ({ column_names: [name = ''] }: ColumnRefNode): string => name.toLowerCase();

/** The unqualified names of columns in an expression, without the parameters of its lambdas. */
function namesIn(part: Expression, { skipsQueries = false } = {}): readonly ColumnRefNode[] {
  const names: ColumnRefNode[] = [];
  const parameters = new Set<string>();
  const collect = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    if (skipsQueries && 'cte_map' in node) return;
    if (isName(node)) names.push(node);
    if (isLambda(node)) for (const name of lambdaParameters(node)) parameters.add(name.toLowerCase());
    visitChildren(node, collect);
  };
  collect(part);
  return parameters.size === 0 ? names : names.filter((ref) => !parameters.has(lower(ref)));
}
