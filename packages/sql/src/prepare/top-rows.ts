import type { TopRowsKey } from '../relations/prepare-context.ts';
import { MANAGED_SCHEMA } from '../relations/relation-resolver.ts';
import {
  column,
  type Expression,
  isQueryNode,
  NO_LOCATION,
  type OrderNode,
  type ResultModifier,
  type SelectNode,
  type Statement,
  type TableRef,
  walkTree,
} from '../tree.ts';

/** With a larger limit, finding the rows first does not pay. */
const MAX_ROWS = 10_000;

/**
 * The first of two passes over a table: it finds the positions of the rows that `ORDER BY … LIMIT n` returns.
 */
export interface TopRowsQuery {
  /** Returns `"$tablet"` and `"$row"`, which must be columns of the table, and with a `key` its value as `"$key"`. */
  readonly statement: Statement;
  /** Undefined if an expression comes first in ORDER BY. */
  readonly key: TopRowsKey | undefined;
  /** The names in its expressions; some of them are columns of the table. */
  readonly names: ReadonlySet<string>;
  /** The maximum number of rows that it returns. */
  readonly rows: number;
}

/**
 * `SELECT a, b, c FROM t WHERE d > 1 ORDER BY e LIMIT 10 OFFSET 5` →
 * `SELECT "$tablet", "$row" FROM t WHERE d > 1 ORDER BY e LIMIT 15`. The query itself then only needs the
 * granules of these rows. Undefined for every other shape, where a result row need not come from exactly one
 * row of the table.
 */
export function topRowsQuery(statement: Statement): TopRowsQuery | undefined {
  const { node } = statement;
  if (node.type !== 'SELECT_NODE' || !isRowByRow(node)) return undefined;
  const [first, second, ...more] = node.modifiers;
  if (first?.type !== 'ORDER_MODIFIER' || second?.type !== 'LIMIT_MODIFIER' || more.length > 0)
    return undefined;
  const rows = rowsOf(second);
  const orders = first.orders.map((order) => resolvedOrder(order, node));
  if (rows === undefined || rows > MAX_ROWS || !orders.every((order) => order !== undefined))
    return undefined;
  const names = new Set<string>();
  for (const expression of [node.where_clause, ...orders.map((order) => order.expression)]) {
    if (expression === null) continue;
    if (!isPlain(expression)) return undefined;
    walkTree(expression, (inner) => {
      if ('class' in inner && inner.class === 'COLUMN_REF')
        for (const name of inner.column_names) names.add(name.toLowerCase());
    });
  }
  const key = keyOf(orders[0]!, node.from_table);
  const top: SelectNode = {
    ...node,
    select_list: [
      column('$tablet'),
      column('$row'),
      ...(key === undefined ? [] : [{ ...orders[0]!.expression, alias: '$key' }]),
    ],
    modifiers: [
      { type: 'ORDER_MODIFIER', orders },
      { ...second, limit: integer(rows), offset: null },
    ],
  };
  return { statement: { ...statement, node: top }, key, names, rows };
}

function keyOf({ expression, type }: OrderNode, { alias }: TableRef): TopRowsKey | undefined {
  if (expression.class !== 'COLUMN_REF') return undefined;
  const [name, qualifier, ...more] = expression.column_names.map((each) => each.toLowerCase()).reverse();
  // Otherwise it may be a field of a structure.
  if (more.length > 0 || (qualifier !== undefined && qualifier !== alias.toLowerCase())) return undefined;
  return { column: name!, isDescending: type === 'DESCENDING' };
}

/** Whether every row of the result comes from exactly one row of the table. */
function isRowByRow(node: SelectNode): boolean {
  const { from_table, cte_map, group_expressions, group_sets, having, qualify, sample } = node;
  return (
    from_table.type === 'BASE_TABLE' &&
    from_table.schema_name === MANAGED_SCHEMA &&
    from_table.sample === null &&
    from_table.column_name_alias.length === 0 &&
    cte_map.map.length === 0 &&
    group_expressions.length === 0 &&
    group_sets.length === 0 &&
    having === null &&
    qualify === null &&
    sample === null &&
    node.aggregate_handling === 'STANDARD_HANDLING' &&
    node.select_list.every(isPlain)
  );
}

/**
 * Deterministic functions that return one value per row. Other calls are excluded, because a call in the tree
 * may be an aggregate.
 */
const SCALARS = new Set([
  'abs',
  'array_extract',
  'ceil',
  'coalesce',
  'concat',
  'contains',
  'date_part',
  'date_trunc',
  'day',
  'ends_with',
  'floor',
  'ilike_escape',
  'length',
  'like_escape',
  'list_extract',
  'lower',
  'month',
  'not_like_escape',
  'replace',
  'round',
  'starts_with',
  'strftime',
  'struct_extract',
  'substring',
  'trim',
  'tsr_divisor',
  'tsr_integer_text',
  'tsr_is_text',
  'tsr_moment_text',
  'tsr_text',
  'upper',
  'year',
]);

function isPlain(expression: Expression): boolean {
  let plain = true;
  walkTree(expression, (node) => {
    if (!('class' in node)) {
      plain &&= !isQueryNode(node);
      return;
    }
    if (node.class === 'SUBQUERY' || node.class === 'WINDOW') plain = false;
    if (node.class === 'FUNCTION') plain &&= node.is_operator || SCALARS.has(node.function_name);
  });
  return plain;
}

/** Replaces `ORDER BY 2` and `ORDER BY alias` by the expression from the select list. */
function resolvedOrder(order: OrderNode, { select_list }: SelectNode): OrderNode | undefined {
  const { expression } = order;
  if (expression.class === 'STAR') return undefined;
  const place = integerOf(expression);
  if (place !== undefined) {
    if (select_list.slice(0, place).some((item) => item.class === 'STAR')) return undefined;
    const item = select_list[place - 1];
    return item && { ...order, expression: { ...item, alias: '' } };
  }
  if (expression.class !== 'COLUMN_REF' || expression.column_names.length !== 1) return order;
  const name = expression.column_names[0]!.toLowerCase();
  const item = select_list.find(({ alias }) => alias.toLowerCase() === name);
  return item === undefined ? order : { ...order, expression: { ...item, alias: '' } };
}

function rowsOf(modifier: Extract<ResultModifier, { type: 'LIMIT_MODIFIER' | 'LIMIT_PERCENT_MODIFIER' }>) {
  const limit = modifier.limit === null ? undefined : integerOf(modifier.limit);
  const offset = modifier.offset === null ? 0 : integerOf(modifier.offset);
  return limit === undefined || offset === undefined ? undefined : limit + offset;
}

function integerOf(expression: Expression): number | undefined {
  if (expression.class === 'CAST') return integerOf(expression.child);
  if (expression.class !== 'CONSTANT' || expression.value.is_null) return undefined;
  const { value } = expression.value;
  return (typeof value === 'number' || typeof value === 'bigint') && Number.isSafeInteger(Number(value))
    ? Number(value)
    : undefined;
}

const integer = (value: number): Expression => ({
  class: 'CONSTANT',
  type: 'VALUE_CONSTANT',
  alias: '',
  query_location: NO_LOCATION,
  value: { type: { id: 'BIGINT', type_info: null }, is_null: false, value },
});
