import { fail } from '@tessera/common';
import { isLongList, textList } from '../functions/expressions.ts';
import { type ArrayText, parseArrayText } from '../text/postgres-array.ts';
import {
  type CastNode,
  call,
  cast,
  constant,
  type Expression,
  type FunctionNode,
  type SubqueryNode,
  type TypeNode,
  withoutArraySizes,
} from '../tree.ts';

const TEXT: TypeNode = { id: 'VARCHAR', type_info: null };

/**
 * `'{1,NULL,"a b"}'::text[]` → `['1', NULL, 'a b']::VARCHAR[]`: the kernel only reads arrays in square
 * brackets.
 */
export function arrayLiteral(node: CastNode): Expression {
  const { child } = node;
  const cast_type = withoutArraySizes(node.cast_type);
  if (cast_type.type_info?.type !== 'LIST_TYPE_INFO') return node;
  const text = arrayText(child);
  if (text === undefined) return node;
  const items = itemsOf(text);
  const element = cast_type.type_info.child_type;
  // As in PostgreSQL, the literal says how many dimensions the array has, not the type.
  const missing = dimensionsOf(items, text) - dimensionsOfType(cast_type);
  let nested: TypeNode = element;
  let type: TypeNode = cast_type;
  for (let i = 0; i < missing; i += 1) {
    nested = type;
    type = { ...cast_type, type_info: { ...cast_type.type_info, child_type: nested } };
  }
  return { ...node, cast_type: type, child: list(items, nested) };
}

/** The number of dimensions of an array; refuses arrays whose parts have different dimensions or lengths. */
function dimensionsOf(items: ArrayText, text: string): number {
  const shape = shapeOf(items);
  return shape === undefined ? malformedArray(text) : shape.length;
}

function shapeOf(items: ArrayText): readonly number[] | undefined {
  const shapes = items.map((item) => (typeof item === 'string' || item === null ? [] : shapeOf(item)));
  const [first = []] = shapes;
  const isSame = shapes.every((shape) => shape?.join() === first?.join());
  return isSame && first !== undefined ? [items.length, ...first] : undefined;
}

function dimensionsOfType({ type_info }: TypeNode): number {
  return type_info?.type === 'LIST_TYPE_INFO' ? 1 + dimensionsOfType(type_info.child_type) : 0;
}

/**
 * `x = ANY('{a,b}')`, which the parser writes with `unnest('{a,b}')`. The text literal is parsed as an array.
 */
export function unnestedLiteral(node: FunctionNode): FunctionNode {
  if (node.function_name !== 'unnest' || node.children.length !== 1) return node;
  const text = arrayText(node.children[0]!);
  return text === undefined ? node : { ...node, children: [list(itemsOf(text), TEXT)] };
}

/** The call of `unnest` by which the parser writes `= ANY(list)`; undefined for other subqueries. */
export function unnestedArray({ subquery_type, subquery }: SubqueryNode): FunctionNode | undefined {
  const query = subquery.node;
  if (subquery_type !== 'ANY' || query.type !== 'SELECT_NODE' || query.from_table.type !== 'EMPTY')
    return undefined;
  const [item, ...more] = query.select_list;
  if (query.where_clause !== null || query.modifiers.length > 0 || more.length > 0) return undefined;
  return item?.class === 'FUNCTION' && item.function_name === 'unnest' ? item : undefined;
}

function arrayText(node: Expression): string | undefined {
  const text = node.class === 'CONSTANT' ? node.value.value : undefined;
  return typeof text === 'string' && /^\s*\{/.test(text) ? text : undefined;
}

function itemsOf(text: string): ArrayText {
  try {
    return parseArrayText(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return malformedArray(text);
  }
}

export const malformedArray = (text: string): never =>
  fail('CAST_ERROR', { message: `malformed array literal: "${text}"` });

function list(items: ArrayText, type: TypeNode): Expression {
  const inner = type.type_info?.type === 'LIST_TYPE_INFO' ? type.type_info.child_type : type;
  if (isLongList(items) && items.every((item) => item === null || typeof item === 'string')) {
    return textList(items);
  }
  return call(
    'list_value',
    ...items.map((item) =>
      typeof item === 'string' || item === null ? cast(constant(item), inner) : list(item, inner),
    ),
  );
}
