import { fail, isSameName, type SqlLocation } from '@tessera/common';
import { bareNameOf } from '../functions/bare-name.ts';
import { postgresName } from '../functions/column-names.ts';
import { literalInteger, negativeInteger } from '../functions/expressions.ts';
import {
  type ColumnRefNode,
  constant,
  type Expression,
  type FunctionNode,
  operator,
  type QueryNode,
  type ResultModifier,
  type SelectNode,
  someExpression,
  spelling,
  stringLiteral,
  transformTree,
  walkTree,
} from '../tree.ts';

/**
 * `SELECT a, a::text FROM t ORDER BY a` → `… ORDER BY 1`. PostgreSQL names unnamed expressions, here both
 * items `a`. If a name in ORDER BY matches several items, the column or the item with an explicit AS wins.
 * Without this rule the rows would be sorted by the text, because the generated name becomes the item's
 * alias. If only one item has the name, it is the sort key, as in PostgreSQL.
 * @param locate the place of a key in the statement
 * @param sourceOf the text of the statement from a key on
 * @throws TesseraError AMBIGUOUS_NAME if several different expressions match equally, SYNTAX_ERROR for a constant that is no position
 */
export function resolveOrderNames(
  node: QueryNode,
  locate: (key: Expression) => SqlLocation | undefined,
  sourceOf: (key: Expression) => string,
): QueryNode {
  for (const modifier of node.modifiers) refuseNegative(modifier, locate);
  for (const [clause, key] of keysOf(node)) {
    if (!isOtherConstant(key, sourceOf)) continue;
    const message = `A constant in ${clause} must be the position of a result column, not another value`;
    fail('SYNTAX_ERROR', { message }, { location: locate(key) });
  }
  if (!node.modifiers.some(hasKeys)) return node;
  const items = leftmostSelect(node)?.select_list ?? [];
  const mayHoldOthers = node.type === 'SELECT_NODE' && !node.modifiers.some(isDistinctOfRows);
  const isPlainDistinct = node.type === 'SELECT_NODE' && node.modifiers.some(isDistinctOfRows);
  refuseOtherOrder(node, items, locate);
  const resolved = (key: Expression) => {
    if (isPlainDistinct && !isDecidedBy(items, key)) {
      const message =
        'With SELECT DISTINCT, ORDER BY can only use columns of the result: rows that are merged into one may differ in anything else. Add the expression to the SELECT list, or use DISTINCT ON';
      fail('BINDING_ERROR', { message }, { location: locate(key) });
    }
    if (node.type === 'SET_OPERATION_NODE' && !mayOrderUnion(items, key)) {
      const what = 'ORDER BY an expression over the result of UNION, INTERSECT or EXCEPT';
      const hint = 'order by a column or its position, or put the queries into a subquery of FROM';
      fail('NOT_SUPPORTED', { what, hint }, { location: locate(key) });
    }
    if (!isName(key)) return key;
    const found = orderKey(key, items, mayHoldOthers);
    if (found !== undefined) return found;
    const message = `ORDER BY "${key.column_names[0]}" is ambiguous: several columns of the result have this name; give one of them another with AS`;
    return fail('AMBIGUOUS_NAME', { message }, { location: locate(key) });
  };
  return { ...node, modifiers: node.modifiers.flatMap((modifier) => withKeys(modifier, resolved)) };
}

/** Functions whose WITHIN GROUP (ORDER BY …) names their values. */
const OVER_ORDER: ReadonlySet<string> = new Set(['quantile_cont', 'quantile_disc', 'mode']);

/** `array_agg(a ORDER BY 'x', b)` → `array_agg(a ORDER BY b)`: a constant orders nothing there, not even as a position. */
export function withoutConstantOrder(node: FunctionNode): FunctionNode {
  const { order_bys, function_name } = node;
  if (order_bys.orders.length === 0 || OVER_ORDER.has(function_name)) return node;
  const orders = order_bys.orders.filter(({ expression }) => !isConstant(expression));
  return orders.length === order_bys.orders.length ? node : { ...node, order_bys: { ...order_bys, orders } };
}

const isConstant = (node: Expression): boolean =>
  node.class === 'CAST' ? isConstant(node.child) : node.class === 'CONSTANT';

/**
 * The replacement of a name in ORDER BY; undefined if the name is ambiguous. To the kernel, names that differ only in case are the
 * same, so that a column would be hidden by an item whose alias has other letters:
 *     SELECT a::text AS "A" FROM t ORDER BY a    →   … ORDER BY coalesce(a)
 *     SELECT a, -a AS "A" FROM t ORDER BY "A"    →   … ORDER BY 2
 * @param mayHoldOthers whether ORDER BY may contain an expression that is not an item of the select list
 */
function orderKey(
  key: ColumnRefNode,
  items: readonly Expression[],
  mayHoldOthers: boolean,
): Expression | undefined {
  const name = key.column_names[0]!;
  const alike = items.filter((item) => isSameName(resultName(item), name));
  const exact = alike.filter((item) => resultName(item) === name);
  const named = exact.filter((item) => !isUnnamed(item));
  const isAlone = (chosen: readonly Expression[]) => alike.length === chosen.length;
  const elsewhere = (other: Expression) => (mayHoldOthers ? unaliased(other) : undefined);
  const place = (item: Expression) => {
    const index = items.indexOf(item);
    if (items.slice(0, index).some(isStar)) return elsewhere({ ...item, alias: '' });
    return { ...constant(index + 1), query_location: key.query_location };
  };
  if (named.length > 0) {
    if (different(named)) return undefined;
    return isAlone(named) ? key : place(named[0]!);
  }
  // The column that the expression is named after is also one of those that the star expands to.
  if (items.some(isStar) && exact.some((item) => readsColumn(item, name))) return elsewhere(key);
  if (exact.length > 0) {
    if (different(exact)) return undefined;
    return isAlone(exact) ? key : place(exact[0]!);
  }
  const isOther = alike.some((item) => !isSameName(lastName(item) ?? '', name));
  if (!isOther) return key;
  return elsewhere(key) ?? (different(alike) ? undefined : key);
}

/** The kernel resolves an alias only if a name stands alone. */
const unaliased = (key: Expression): Expression => operator('OPERATOR_COALESCE', key);

/** A parameter orders nothing, as every constant, and the kernel refuses it. */
function withKeys(
  modifier: ResultModifier,
  resolved: (key: Expression) => Expression,
): readonly ResultModifier[] {
  if (modifier.type === 'DISTINCT_MODIFIER')
    return [{ ...modifier, distinct_on_targets: modifier.distinct_on_targets.map(resolved) }];
  if (modifier.type !== 'ORDER_MODIFIER') return [modifier];
  const orders = modifier.orders
    .filter(({ expression }) => expression.class !== 'PARAMETER')
    .map((order) => ({ ...order, expression: resolved(order.expression) }));
  return orders.length === 0 ? [] : [{ ...modifier, orders }];
}

const hasKeys = ({ type }: ResultModifier): boolean =>
  type === 'ORDER_MODIFIER' || type === 'DISTINCT_MODIFIER';

const isDistinctOfRows = (modifier: ResultModifier): boolean =>
  modifier.type === 'DISTINCT_MODIFIER' && modifier.distinct_on_targets.length === 0;

/**
 * Refuses `SELECT DISTINCT ON (a) … ORDER BY b`: the first row of each group is only defined if ORDER BY begins with the
 * expressions of DISTINCT ON, in any order.
 * @throws TesseraError BINDING_ERROR
 */
function refuseOtherOrder(
  { modifiers }: QueryNode,
  items: readonly Expression[],
  locate: (key: Expression) => SqlLocation | undefined,
): void {
  const on = modifiers.flatMap((one) => (one.type === 'DISTINCT_MODIFIER' ? one.distinct_on_targets : []));
  const orders = modifiers.flatMap((one) => (one.type === 'ORDER_MODIFIER' ? one.orders : []));
  const missing = new Set(on.map((key) => keySpelling(key, items)));
  for (const { expression } of orders) {
    if (missing.size === 0 || isStar(expression)) return;
    if (on.some((key) => keySpelling(key, items) === keySpelling(expression, items)))
      missing.delete(keySpelling(expression, items));
    else {
      const message =
        'SELECT DISTINCT ON expressions must match the first ORDER BY expressions: begin ORDER BY with the expressions of DISTINCT ON';
      fail('BINDING_ERROR', { message }, { location: locate(expression) });
    }
  }
}

/** The spelling of a sort key, which is that of an item of the select list if the key is its position or its name. */
function keySpelling(key: Expression, items: readonly Expression[]): string {
  const position = key.class === 'CONSTANT' && !key.value.is_null ? Number(key.value.value) : undefined;
  if (position !== undefined) {
    const item = items.slice(0, position).some(isStar) ? undefined : items[position - 1];
    return looseSpelling({ ...(item ?? key), alias: '' });
  }
  const item = isName(key) ? items.find(({ alias }) => alias === key.column_names[0]!) : undefined;
  return looseSpelling({ ...(item ?? key), alias: '' });
}

type Clause = 'GROUP BY' | 'ORDER BY' | 'DISTINCT ON';

/** The keys in whose place a constant means a column of the result, with their clauses. */
function keysOf(node: QueryNode): readonly (readonly [clause: Clause, key: Expression])[] {
  const inClause = (clause: Clause, keys: readonly Expression[]) => keys.map((key) => [clause, key] as const);
  const groups = node.type === 'SELECT_NODE' ? node.group_expressions : [];
  return [
    ...inClause('GROUP BY', groups),
    ...node.modifiers.flatMap((modifier) => {
      if (modifier.type === 'ORDER_MODIFIER')
        return inClause(
          'ORDER BY',
          modifier.orders.map(({ expression }) => expression),
        );
      return modifier.type === 'DISTINCT_MODIFIER'
        ? inClause('DISTINCT ON', modifier.distinct_on_targets)
        : [];
    }),
  ];
}

const MAX_INTEGER = 2 ** 31 - 1;

/**
 * Whether an expression is a literal and no integer. The parser makes `true` the same tree as `'t'::boolean`, by which rows may be
 * grouped, like by every other cast.
 */
function isOtherConstant(key: Expression, sourceOf: (key: Expression) => string): boolean {
  if (key.class === 'CAST')
    return (
      key.cast_type.id === 'BOOLEAN' &&
      /^[tf]$/.test(stringLiteral(key.child) ?? '') &&
      /^(?:true|false)\b/i.test(sourceOf(key.child))
    );
  if (key.class !== 'CONSTANT') return false;
  const position = literalInteger(key);
  return position === undefined || position > MAX_INTEGER;
}

/** @throws TesseraError INVALID_LIMIT, INVALID_OFFSET */
function refuseNegative(
  modifier: ResultModifier,
  locate: (key: Expression) => SqlLocation | undefined,
): void {
  if (modifier.type !== 'LIMIT_MODIFIER') return;
  const { limit, offset } = modifier;
  if (limit !== null && negativeInteger(limit) !== undefined)
    fail('INVALID_LIMIT', { message: 'LIMIT must not be negative' }, { location: locate(limit) });
  if (offset !== null && negativeInteger(offset) !== undefined)
    fail('INVALID_OFFSET', { message: 'OFFSET must not be negative' }, { location: locate(offset) });
}

/** Whether the result of a set operation can be sorted by a key: a column, a position, or an item of its first query. */
function mayOrderUnion(items: readonly Expression[], key: Expression): boolean {
  if (key.class === 'FUNCTION' || key.class === 'OPERATOR' || key.class === 'CASE' || key.class === 'CAST')
    return (
      items.some(isStar) || items.some((item) => looseSpelling({ ...item, alias: '' }) === looseSpelling(key))
    );
  return true;
}

/** Whether a sort key has one value for each combination of values of the items. */
function isDecidedBy(items: readonly Expression[], key: Expression): boolean {
  if (key.class === 'CONSTANT' || key.class === 'PARAMETER' || items.some(isStar)) return true;
  const spelled = looseSpelling(key);
  if (items.some((item) => looseSpelling(item) === spelled)) return true;
  const names = new Set(items.map(resultName));
  let reads = 0;
  let isDecided = true;
  walkTree(key, (node) => {
    if (!('class' in node)) isDecided = false;
    else if (node.class === 'COLUMN_REF') {
      reads += 1;
      isDecided &&= names.has(lastName(node)!);
    }
  });
  return isDecided && reads > 0;
}

function leftmostSelect(node: QueryNode): SelectNode | undefined {
  if (node.type === 'SELECT_NODE') return node;
  const left = node.type === 'SET_OPERATION_NODE' ? (node.children?.[0] ?? node.left) : undefined;
  return left && leftmostSelect(left);
}

const isUnnamed = (item: Expression): boolean =>
  item.alias === '' && item.class !== 'COLUMN_REF' && item.class !== 'POSITIONAL_REFERENCE' && !isStar(item);

const isStar = (item: Expression): boolean => item.class === 'STAR';

const ownName = (item: Expression): string => item.alias || (lastName(item) ?? '');

const resultName = (item: Expression): string => (isUnnamed(item) ? postgresName(item) : ownName(item));

const lastName = (node: Expression): string | undefined =>
  node.class === 'COLUMN_REF' ? node.column_names.at(-1) : undefined;

const isName = (key: Expression): key is ColumnRefNode =>
  key.class === 'COLUMN_REF' && key.column_names.length === 1 && bareNameOf(key) === undefined;

/** `a` and `t.a` are treated as the same column; if they differ, the kernel reports it. */
const different = (items: readonly Expression[]): boolean =>
  new Set(items.map((item) => lastName(item) ?? spelling(item))).size > 1;

const readsColumn = (item: Expression, name: string): boolean =>
  someExpression(item, (node) => isSameName(lastName(node) ?? '', name));

/** Like `spelling`, but equal for expressions that also differ in case and in the relations that their columns name. */
const looseSpelling = (expression: Expression): string =>
  spelling(
    transformTree(expression, {
      expression: (node) =>
        node.class === 'COLUMN_REF' ? { ...node, column_names: node.column_names.slice(-1) } : node,
    }),
  ).toLowerCase();
