import { internalName } from '../functions/internal-macros.ts';
import type { Placement } from '../relations/placement.ts';
import {
  type ColumnRefNode,
  type Expression,
  type ExpressionListRef,
  isExpression,
  isQueryNode,
  isTableRef,
  mapChildren,
  type QueryNode,
  type SetOperationNode,
  type Statement,
  type SubqueryNode,
  someExpression,
  type TableRef,
  type TypeNode,
  walkTree,
} from '../tree.ts';
import { valueKind } from './value-kind.ts';

/** An expression, VALUES or a set operation that gives several values one type, or computes with them in one type. */
export type Combination = ValueCombination | SetOperationNode;
export type ValueCombination = Expression | ExpressionListRef;

/** Whether decimals may occur in a statement. The files and tables that it reads without a table of the catalog may have any type. */
export const mayHoldDecimals = (bound: Statement, placement: Placement): boolean =>
  readsOtherRelations(placement) ||
  [...placement.tables.values()].some(({ columns }) => columns.some(({ type }) => isDecimalName(type))) ||
  someExpression(bound, (node) => node.class === 'CAST' && isDecimalType(node.cast_type));

const readsOtherRelations = ({ hasFileScans, readsSystem, sessionRelations }: Placement): boolean =>
  hasFileScans || (!readsSystem && sessionRelations.size > 0);

const isDecimalName = (type: string | undefined): boolean => type === undefined || type.startsWith('DECIMAL');

const isDecimalType = ({ id, type_info }: TypeNode): boolean =>
  id === 'DECIMAL' || (type_info?.type === 'LIST_TYPE_INFO' && isDecimalType(type_info.child_type));

/** Whether a reference certainly names a column that holds no decimals. */
export type IsOther = (reference: ColumnRefNode) => boolean;

/** Tells whether a reference certainly names a column that holds no decimals, because all columns with its name are of tables. */
export function isOtherColumn(bound: Statement, placement: Placement): IsOther {
  if (readsOtherRelations(placement)) return () => false;
  const others = new Set<string>();
  const columns = [...placement.tables.values()].flatMap((table) => table.columns);
  for (const { name, type } of columns) if (!isDecimalName(type)) others.add(name.toLowerCase());
  for (const { name, type } of columns) if (isDecimalName(type)) others.delete(name.toLowerCase());
  walkTree(bound, (node) => {
    for (const name of givenNames(node)) others.delete(name.toLowerCase());
  });
  return ({ column_names }) => others.has(column_names.at(-1)!.toLowerCase());
}

/** The names that a node gives to columns. */
function givenNames(node: Expression | TableRef | QueryNode): readonly string[] {
  if (isQueryNode(node)) {
    const ofCtes = node.cte_map.map.flatMap(({ value }) => value.aliases);
    return node.type === 'RECURSIVE_CTE_NODE' ? [...ofCtes, ...node.aliases] : ofCtes;
  }
  if (isTableRef(node) && node.type === 'EXPRESSION_LIST') return node.expected_names;
  return [node.alias, ...('column_name_alias' in node ? node.column_name_alias : [])];
}

/** The place of a value among those of a combination. Values of the same group take one type. */
interface CombinedValue {
  readonly index: number;
  readonly group: number;
}

/** The values of a combination that may be decimals, in groups of at least two which take no type of floating point numbers. */
function combinedValues(node: Expression | TableRef, isOther: IsOther): readonly CombinedValue[] {
  if (!givesOneType(node)) return [];
  const width = isTableRef(node) ? node.values[0]!.length : 1;
  const values = writtenValues(node);
  const found: CombinedValue[] = [];
  const floats = new Set<number>();
  // The type of a remainder has room for all digits of an integer as well.
  const withIntegers = isRemainder(node) && values.some((value) => mayBeDecimal(value, isOther));
  for (const [index, value] of values.entries()) {
    const group = index % width;
    if (valueKind(value) === 'float') floats.add(group);
    else if (withIntegers || mayBeDecimal(value, isOther)) found.push({ index, group });
  }
  const groups = Map.groupBy(found, ({ group }) => group);
  return found.filter(({ group }) => groups.get(group)!.length > 1 && !floats.has(group));
}

function givesOneType(node: Expression | TableRef): node is ValueCombination {
  if (isTableRef(node)) return node.type === 'EXPRESSION_LIST' && node.values.length > 1;
  switch (node.class) {
    case 'CASE':
      return true;
    case 'OPERATOR':
      return /^(?:OPERATOR_COALESCE|ARRAY_CONSTRUCTOR)$/.test(node.type);
    case 'FUNCTION':
      return combinesArguments(node);
    case 'WINDOW':
      return node.default_expr !== null;
    case 'COMPARISON':
      return isArray(node.left) || isArray(node.right);
    case 'SUBQUERY':
      return node.child !== null;
    default:
      return false;
  }
}

/** Replaces the values of a combination. */
export function withValues(
  node: ValueCombination,
  change: (value: Expression, index: number) => Expression,
): ValueCombination {
  let index = 0;
  const each = (value: Expression) => change(value, index++);
  if (isTableRef(node)) return { ...node, values: node.values.map((row) => row.map(each)) };
  switch (node.class) {
    case 'CASE': {
      const case_checks = node.case_checks.map((check) => ({ ...check, then_expr: each(check.then_expr) }));
      return { ...node, case_checks, else_expr: each(node.else_expr) };
    }
    case 'OPERATOR':
    case 'FUNCTION':
      return { ...node, children: node.children.map(each) };
    case 'WINDOW': {
      const children = node.children.map((child, i) => (i === 0 ? each(child) : child));
      return { ...node, children, default_expr: node.default_expr && each(node.default_expr) };
    }
    case 'COMPARISON': {
      const left = each(node.left);
      return { ...node, left, right: each(node.right) };
    }
    case 'SUBQUERY':
      return withComparedValue({ ...node, child: node.child && each(node.child) }, each);
    default:
      return node;
  }
}

const isArray = (node: Expression): boolean => valueKind(node) === 'array';

const REMAINDERS: ReadonlySet<string> = new Set(['%', internalName('mod')]);

/** Whether an expression is `x % y` or `mod(x, y)`. The kernel converts operands that need more than 38 digits to floating point. */
export const isRemainder = (node: Expression | TableRef): boolean =>
  'class' in node && node.class === 'FUNCTION' && REMAINDERS.has(node.function_name);

/** Functions of the kernel, and macros, whose arguments are arrays and values that are compared with their elements or added to them. */
const OF_ARRAYS = /(?:^|_)(?:list|arrays?)(?:_|$)|^(?:&&|@>|<@|tsr_pg_any_equal)$/;

function combinesArguments({
  function_name: name,
  children,
}: Extract<Expression, { class: 'FUNCTION' }>): boolean {
  if (REMAINDERS.has(name)) return children.length === 2;
  if (name === '||') return children.some(isArray);
  return /^(?:greatest|least|list_value)$/.test(name) || OF_ARRAYS.test(name);
}

/** Replaces what `x = ANY (SELECT …)` compares with `x`: the item of the query, or the array whose elements it returns. */
function withComparedValue(node: SubqueryNode, change: (value: Expression) => Expression): SubqueryNode {
  const query = node.subquery.node;
  if (query.type !== 'SELECT_NODE') return node;
  const [item] = query.select_list;
  if (item === undefined || item.class === 'STAR') return node;
  const compared =
    item.class === 'FUNCTION' && item.function_name === 'unnest'
      ? { ...item, children: item.children.map((each, i) => (i === 0 ? change(each) : each)) }
      : change(item);
  return { ...node, subquery: { ...node.subquery, node: { ...query, select_list: [compared] } } };
}

const MAY_BE_DECIMAL: ReadonlySet<string> = new Set(['number', 'computed', 'array', 'unknown']);

/** Whether a value may be a decimal or an array of decimals, as far as its text tells. */
function mayBeDecimal(node: Expression, isOther: IsOther): boolean {
  if (node.class === 'CONSTANT') return node.value.type.id === 'DECIMAL';
  if (node.class === 'COLUMN_REF' && isOther(node)) return false;
  if (node.class === 'PARAMETER' || node.class === 'LAMBDA') return false;
  if (node.class === 'CAST') return isDecimalType(node.cast_type);
  return MAY_BE_DECIMAL.has(valueKind(node));
}

/** The values of a combination, in the order of their indexes. */
export function writtenValues(node: ValueCombination): readonly Expression[] {
  const values: Expression[] = [];
  withValues(node, (value) => {
    values.push(value);
    return value;
  });
  return values;
}

export interface FoundCombination {
  readonly node: ValueCombination;
  /** The query that the combination belongs to. */
  readonly query: QueryNode;
  readonly values: readonly CombinedValue[];
}

/**
 * Replaces the expressions and VALUES that combine values which may be decimals, inner ones first.
 * @param change receives a combination, and the same one with the replacements within it
 */
export function withCombinations(
  statement: Statement,
  isOther: IsOther,
  change: (found: FoundCombination, withInner: ValueCombination) => ValueCombination,
): Statement {
  const visit = (value: unknown, query: QueryNode): unknown => {
    if (!isObject(value) || value.class === 'CONSTANT') return value;
    const own = isQueryNode(value) ? value : query;
    const withInner = mapChildren(value, (child) => visit(child, own));
    if (!isExpression(value) && !isTableRef(value)) return withInner;
    const values = combinedValues(value, isOther);
    if (values.length === 0) return withInner;
    return change(
      { node: value as ValueCombination, query, values },
      withInner as unknown as ValueCombination,
    );
  };
  return visit(statement, statement.node) as Statement;
}

/** The node of `other` in the place where `node` stands in `tree`; undefined if the trees differ on the way. */
export function inSamePlace(tree: unknown, other: unknown, node: Combination): Combination | undefined {
  if (tree === node)
    return isObject(other) && other.type === node.type ? (other as unknown as Combination) : undefined;
  if (!isObject(tree) || !isObject(other) || tree.class === 'CONSTANT') return undefined;
  for (const [key, field] of Object.entries(tree)) {
    const found = inSamePlace(field, other[key], node);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isObject = (value: unknown): value is { type?: unknown; class?: unknown; [key: string]: unknown } =>
  value !== null && typeof value === 'object';
