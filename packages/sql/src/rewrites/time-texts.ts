import { type CastNode, type ConstantNode, type Expression, stringLiteral } from '../tree.ts';

const BLANK_BEFORE_OFFSET =
  /^(\s*\d+-\d+-\d+[ T]\d[\d:.]*)\s+(?=(?:[+-]\d{1,2}(?::?\d\d){0,2}|Z)(?:\s+BC)?\s*$)/i;

const TIMES: ReadonlySet<string> = new Set(['TIMESTAMP', 'TIMESTAMP WITH TIME ZONE']);

/**
 * `2024-02-29 12:34:56 +00:00` → `2024-02-29 12:34:56+00:00`. PostgreSQL accepts both. The kernel takes the
 * text after a blank for a time zone name and does not know a zone `+00:00`. Other texts stay as they are.
 */
export const kernelTimeText = (text: string): string => text.replace(BLANK_BEFORE_OFFSET, '$1');

/**
 * Whether a node is a string that PostgreSQL and the kernel parse differently when it is cast to a point in
 * time.
 */
export function isForeignTimeText(node: Expression): node is ConstantNode {
  const text = node.class === 'CONSTANT' ? stringLiteral(node) : undefined;
  return text !== undefined && BLANK_BEFORE_OFFSET.test(text);
}

/** The string in the kernel's spelling. */
export function withKernelTimeText(node: ConstantNode): ConstantNode {
  return { ...node, value: { ...node.value, value: kernelTimeText(String(node.value.value)) } };
}

/** `CAST('2024-02-29 12:34:56 +00:00' AS TIMESTAMPTZ)` → `CAST('2024-02-29 12:34:56+00:00' AS TIMESTAMPTZ)` */
export function timeLiteral(node: CastNode): CastNode {
  if (!TIMES.has(node.cast_type.id) || !isForeignTimeText(node.child)) return node;
  return { ...node, child: withKernelTimeText(node.child) };
}
