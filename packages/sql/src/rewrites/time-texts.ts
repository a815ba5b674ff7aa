import { internalCall } from '../functions/expressions.ts';
import { type CastNode, type ConstantNode, type Expression, stringLiteral } from '../tree.ts';

const BLANK_BEFORE_OFFSET =
  /^(\s*\d+-\d+-\d+[ T]\d[\d:.]*)\s+(?=(?:[+-]\d{1,2}(?::?\d\d){0,2}|Z)(?:\s+BC)?\s*$)/i;
const OFFSET_BEHIND_MINUTES = /^(\s*\d+-\d+-\d+[ T]\d{1,2}:\d\d)(?=(?:[+-]\d{1,2}(?::?\d\d){0,2}|Z)\s*$)/i;
const WITHOUT_DASHES = /^(\s*\d{4})(\d\d)(\d\d)(?=\s*$|[ T]\d\d?:\d\d)/;

const TIMES: ReadonlySet<string> = new Set(['DATE', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE']);

/**
 * `2024-02-29 12:34:56 +00:00` → `2024-02-29 12:34:56+00:00`, `2024-02-29 12:34+02` → `2024-02-29 12:34:00+02` and `20240229` →
 * `2024-02-29`. PostgreSQL reads them all; the kernel takes what follows a blank for the name of a time zone, and reads neither
 * an offset behind minutes nor a date without dashes. Other texts stay as they are.
 */
export const kernelTimeText = (text: string): string =>
  text
    .replace(WITHOUT_DASHES, '$1-$2-$3')
    .replace(BLANK_BEFORE_OFFSET, '$1')
    .replace(OFFSET_BEHIND_MINUTES, '$1:00');

/** A string that only a cast to a date or a point in time makes different for PostgreSQL and the kernel. */
export function isForeignTimeText(node: Expression): node is ConstantNode {
  const text = node.class === 'CONSTANT' ? stringLiteral(node) : undefined;
  return text !== undefined && kernelTimeText(text) !== text;
}

/** The string in the kernel's spelling. */
export function withKernelTimeText(node: ConstantNode): ConstantNode {
  return { ...node, value: { ...node.value, value: kernelTimeText(String(node.value.value)) } };
}

/**
 * `CAST('2024-02-29 12:34:56 +00:00' AS TIMESTAMPTZ)` → `CAST('2024-02-29 12:34:56+00:00' AS TIMESTAMPTZ)`, and
 * `CAST(CAST(x AS TEXT) AS TIMESTAMPTZ)` → `CAST(time_text(CAST(x AS TEXT)) AS TIMESTAMPTZ)`, which does the same for each row.
 */
export function timeLiteral(node: CastNode): CastNode {
  const { child, cast_type } = node;
  if (!TIMES.has(cast_type.id)) return node;
  if (isForeignTimeText(child)) return { ...node, child: withKernelTimeText(child) };
  const isText = child.class === 'CAST' && child.cast_type.id === 'VARCHAR';
  return isText ? { ...node, child: internalCall('time_text', child) } : node;
}
