import {
  type ConstantNode,
  cast,
  constant,
  type Expression,
  isExpression,
  isTableRef,
  mapChildren,
  type QueryNode,
} from '../tree.ts';

/**
 * `1.5` → `CAST('1.5' AS DOUBLE)`: a number with a decimal point is DOUBLE PRECISION in the dialect, but a
 * DECIMAL in the kernel. The literal keeps its exact digits where they matter and its type does not show:
 * under a cast (`0.1::numeric(2, 1)`), in arithmetic of literals within a comparison (`discount >= 0.06 +
 * 0.01`), and as an item of an INSERT's query, which is cast to the column's type.
 */
export const decimalLiterals = <T>(tree: T): T => doubles(tree) as T;

/** The alias of a subquery whose columns are assigned to columns of a table. */
export const ASSIGNED_SOURCE = 'tsr_assigned';

function doubles(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isTableRef(value) && value.type === 'SUBQUERY' && value.alias === ASSIGNED_SOURCE) {
    return { ...value, subquery: { ...value.subquery, node: assignedItems(value.subquery.node) } };
  }
  if (isExpression(value)) {
    if (isDecimal(value)) return double(value);
    if (value.class === 'CAST' && isDecimal(value.child) && !INEXACT.has(value.cast_type.id)) return value;
    if (isComparing(value))
      return withChildren(value, (child) => (isOfLiterals(child) ? child : doubles(child)));
  }
  return withChildren(value, doubles);
}

function assignedItems(node: QueryNode): QueryNode {
  const changed = doubles(node) as QueryNode;
  if (node.type !== 'SELECT_NODE' || changed.type !== 'SELECT_NODE') return changed;
  const select_list = node.select_list.map((item, i) => (isDecimal(item) ? item : changed.select_list[i]!));
  return { ...changed, select_list };
}

/** Changes the members of a node, and the items of members that are lists. */
const withChildren = (value: object, change: (child: object) => unknown): unknown =>
  Array.isArray(value)
    ? mapChildren(value, change)
    : mapChildren(value, (child) => (Array.isArray(child) ? withChildren(child, change) : change(child)));

const INEXACT: ReadonlySet<string> = new Set(['DOUBLE', 'FLOAT']);

const isDecimal = (node: Expression): node is ConstantNode =>
  node.class === 'CONSTANT' && node.value.type.id === 'DECIMAL' && !node.value.is_null;

const isComparing = (node: Expression): boolean =>
  node.class === 'COMPARISON' ||
  node.class === 'BETWEEN' ||
  (node.class === 'OPERATOR' && (node.type === 'COMPARE_IN' || node.type === 'COMPARE_NOT_IN'));

/** Whether an expression consists of literals and arithmetic only. */
function isOfLiterals(value: unknown): boolean {
  if (!isExpression(value)) return false;
  if (value.class === 'CONSTANT') return true;
  return value.class === 'FUNCTION' && EXACT.has(value.function_name) && value.children.every(isOfLiterals);
}

const EXACT: ReadonlySet<string> = new Set(['+', '-', '*']);

function double(node: ConstantNode): Expression {
  const { alias, query_location } = node;
  return { ...cast(constant(decimalText(node)), 'DOUBLE'), alias, query_location };
}

/** The digits of a DECIMAL literal as they were written. */
function decimalText({ value: { type, value } }: ConstantNode): string {
  const scale = type.type_info?.type === 'DECIMAL_TYPE_INFO' ? type.type_info.scale : 0;
  const unscaled =
    typeof value === 'object'
      ? (BigInt(value.upper) << 64n) + BigInt(value.lower)
      : BigInt(value as number | bigint);
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${sign}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`;
}
