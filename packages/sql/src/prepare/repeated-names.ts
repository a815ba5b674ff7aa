import { fail, type SqlLocation } from '@tessera/common';
import {
  type ColumnRefNode,
  column,
  type Expression,
  isQueryNode,
  type JoinRef,
  type QueryNode,
  type SelectNode,
  type Statement,
  type TableRef,
  walkTree,
} from '../tree.ts';
import { factsWithin } from './column-facts.ts';
import {
  type CatalogColumns,
  type ColumnFacts,
  type ColumnScope,
  type FactsOf,
  fromScope,
  type KnownRelations,
} from './column-scope.ts';
import { rewriteInScope } from './scoped-expressions.ts';

/**
 * Makes sure that a name means the column that PostgreSQL finds. The kernel compares names without regard to case, and renames the
 * later ones of equally named columns of a subquery, so that a reference always finds the first:
 *     SELECT x FROM (SELECT a AS x, b AS x FROM t) s       is refused, as in PostgreSQL
 *     SELECT "X" FROM (SELECT a AS x, b AS "X" FROM t) s   is refused; PostgreSQL returns b
 *     SELECT * FROM t NATURAL JOIN u                       →   … t JOIN u USING (x), if t and u have x, and t has y and u "Y"
 *     SELECT b % 2 AS "B" FROM t GROUP BY "B"              →   … GROUP BY b % 2; the kernel would group by b
 * @param outermost see `rewriteInScope`
 * @throws TesseraError AMBIGUOUS_NAME, UNDEFINED_NAME
 */
export function repeatedNames(
  statement: Statement,
  catalog: CatalogColumns,
  outermost: FactsOf,
  placeOf: (reference: Expression) => SqlLocation | undefined,
): Statement {
  if (!mayRepeat(statement)) return statement;
  const resultNames = keysNamedAfterItems(statement);
  const checked = (node: Expression, factsOf: FactsOf): Expression => {
    if (node.class !== 'COLUMN_REF' || resultNames.has(node)) return node;
    if (factsOf(node)?.isRepeated !== true) return node;
    const message = `Column "${node.column_names.at(-1)}" is ambiguous: the subquery or table alias has several columns of this name, or whose names differ only in case; give them different names with AS`;
    return fail('AMBIGUOUS_NAME', { message }, { location: placeOf(node) });
  };
  return rewriteInScope(statement, catalog, outermost, checked, (node, known, around) => {
    if (node.type !== 'SELECT_NODE') return node;
    const from_table = mergedByName(node.from_table, (side) => fromScope(side, known, around));
    return groupedByItems(from_table === node.from_table ? node : { ...node, from_table }, known, around);
  });
}

/**
 * A join that merges only columns with the same name, also in case, as in PostgreSQL.
 * @throws TesseraError AMBIGUOUS_NAME if a side has a column of USING several times, UNDEFINED_NAME if it has none
 */
function mergedByName(ref: TableRef, scopeOf: (side: TableRef) => ColumnScope): TableRef {
  if (ref.type !== 'JOIN') return ref;
  for (const name of ref.using_columns) {
    for (const place of ['left', 'right'] as const) {
      const facts: ColumnFacts | undefined = scopeOf(ref[place]).column(column(name));
      if (facts?.isRepeated === true) {
        const twice = `Column "${name}" of USING is ambiguous: a side of the join has several columns of this name, or whose names differ only in case`;
        fail('AMBIGUOUS_NAME', { message: twice });
      }
      if (facts?.name === undefined || facts.name === name) continue;
      const message: string = `Column "${name}" in USING does not exist on the ${place} side of the join`;
      fail('UNDEFINED_NAME', { message });
    }
  }
  const [left, right] = [mergedByName(ref.left, scopeOf), mergedByName(ref.right, scopeOf)];
  const merged = left === ref.left && right === ref.right ? ref : { ...ref, left, right };
  return ref.ref_type === 'NATURAL' ? naturalByName(merged, scopeOf) : merged;
}

/** `a NATURAL JOIN b` → `a JOIN b USING (x)` if the kernel would also merge the columns `y` and `Y`. */
function naturalByName(join: JoinRef, scopeOf: (side: TableRef) => ColumnScope): JoinRef {
  const [left, right] = [join.left, join.right].map((side) =>
    scopeOf(side)
      .columnsOf('')
      ?.map(({ name }) => name),
  );
  if (left === undefined || right === undefined) return join;
  const inRight = new Set(right);
  const using_columns = left.filter((name) => inRight.has(name));
  const anyCase = new Set(right.map((name) => name.toLowerCase()));
  if (using_columns.length === left.filter((name) => anyCase.has(name.toLowerCase())).length) return join;
  if (using_columns.length > 0) return { ...join, ref_type: 'REGULAR', using_columns };
  const message = 'The two sides of NATURAL JOIN have no column in common';
  return fail('BINDING_ERROR', { message }, { resolution: 'Use CROSS JOIN for all pairs of rows.' });
}

/** `SELECT b % 2 AS "B" FROM t GROUP BY "B"` → `… GROUP BY b % 2` if the relations have a column `b`, but no column `B`. */
function groupedByItems(node: SelectNode, known: KnownRelations, around: FactsOf): QueryNode {
  if (!node.group_expressions.some(isName)) return node;
  const factsOf = factsWithin(() => fromScope(node.from_table, known, around), known);
  const group_expressions = node.group_expressions.map((key) => {
    if (!isName(key)) return key;
    const item = node.select_list.find(({ alias }) => alias === key.column_names[0]);
    const { name } = factsOf(key) ?? {};
    return item === undefined || name === undefined || name === key.column_names[0]
      ? key
      : { ...item, alias: '' };
  });
  return { ...node, group_expressions };
}

/** The sort keys that are names of items: an item wins over a column of the relations. */
function keysNamedAfterItems(statement: Statement): ReadonlySet<Expression> {
  const keys = new Set<Expression>();
  walkTree(statement, (node) => {
    if (!isQueryNode(node)) return;
    const items = new Set(node.type === 'SELECT_NODE' ? node.select_list.map(({ alias }) => alias) : []);
    for (const modifier of node.modifiers) {
      const on = modifier.type === 'DISTINCT_MODIFIER' ? modifier.distinct_on_targets : [];
      const orders = modifier.type === 'ORDER_MODIFIER' ? modifier.orders : [];
      for (const key of [...on, ...orders.map(({ expression }) => expression)])
        if (isName(key) && items.has(key.column_names[0]!)) keys.add(key);
    }
  });
  return keys;
}

/** Whether a query may have columns of one name, or group by an item whose name has letters in upper case. */
function mayRepeat(statement: Statement): boolean {
  let found = false;
  walkTree(statement, (node) => {
    if ('class' in node) return;
    if (!isQueryNode(node) && node.type === 'JOIN')
      found ||= node.ref_type === 'NATURAL' || node.using_columns.length > 0;
    if (isQueryNode(node)) {
      found ||= node.type === 'SELECT_NODE' && (mayRepeatItems(node) || node.group_expressions.some(isUpper));
      found ||= node.cte_map.map.some(({ value }) => value.aliases.length > 0);
    } else if (node.type === 'EXPRESSION_LIST') found ||= hasRepeated(node.expected_names);
    else found ||= 'column_name_alias' in node && node.column_name_alias.length > 0;
  });
  return found;
}

function mayRepeatItems({ select_list: items, from_table }: SelectNode): boolean {
  if (items.some((item) => item.class === 'STAR')) return items.length > 1 || from_table.type === 'JOIN';
  return hasRepeated(
    items.flatMap((item) => item.alias || (item.class === 'COLUMN_REF' ? item.column_names.at(-1)! : [])),
  );
}

const hasRepeated = (names: readonly string[]): boolean =>
  new Set(names.map((name) => name.toLowerCase())).size < names.length;

const isName = (key: Expression): key is ColumnRefNode =>
  key.class === 'COLUMN_REF' && key.column_names.length === 1;

const isUpper = (key: Expression): boolean => isName(key) && /[A-Z]/.test(key.column_names[0]!);
