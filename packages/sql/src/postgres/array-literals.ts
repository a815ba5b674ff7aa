import { fail } from '@tessera/common';
import { type ArrayText, parseArrayText } from '../text/postgres-array.ts';
import {
  type CastNode,
  call,
  cast,
  constant,
  type Expression,
  type FunctionNode,
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
  return text === undefined ? node : { ...node, child: listOf(text, cast_type.type_info.child_type) };
}

/**
 * `x = ANY('{a,b}')`, which the parser writes with `unnest('{a,b}')`. The text literal is parsed as an array.
 */
export function unnestedLiteral(node: FunctionNode): FunctionNode {
  if (node.function_name !== 'unnest' || node.children.length !== 1) return node;
  const text = arrayText(node.children[0]!);
  return text === undefined ? node : { ...node, children: [listOf(text, TEXT)] };
}

function arrayText(node: Expression): string | undefined {
  const text = node.class === 'CONSTANT' ? node.value.value : undefined;
  return typeof text === 'string' && /^\s*\{/.test(text) ? text : undefined;
}

function listOf(text: string, type: TypeNode): Expression {
  try {
    return list(parseArrayText(text), type);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail('CAST_ERROR', { message: `malformed array literal: "${text}"` });
  }
}

function list(items: ArrayText, type: TypeNode): Expression {
  const inner = type.type_info?.type === 'LIST_TYPE_INFO' ? type.type_info.child_type : type;
  return call(
    'list_value',
    ...items.map((item) =>
      typeof item === 'string' || item === null ? cast(constant(item), inner) : list(item, inner),
    ),
  );
}
