import { internalCall, isUntyped, literalInteger, negativeInteger } from '../functions/expressions.ts';
import type { Expression, OperatorNode } from '../tree.ts';

/**
 * An array has no element before the first one, as in PostgreSQL; the kernel counts negative subscripts from the end:
 *     a[-1]     →   a[tsr_subscript(a, -1)]           NULL
 *     a[i - 1]  →   a[tsr_subscript(a, i - 1)]        NULL if i is 0
 *     a[-1:2]   →   a[tsr_slice_bound(a, -1):2]       the elements 1 and 2
 *     a[i:]     →   a[tsr_slice_bound(a, i):]
 * The macros only change subscripts of arrays: texts and JSON documents keep negative ones.
 */
export function arraySubscripts(node: OperatorNode): Expression {
  const [subject, ...subscripts] = node.children;
  if (subject === undefined) return node;
  if (node.type === 'ARRAY_EXTRACT') {
    const [index] = subscripts;
    if (index === undefined || !mayBeNegative(index)) return node;
    return { ...node, children: [subject, internalCall('subscript', subject, index)] };
  }
  if (node.type !== 'ARRAY_SLICE' || !subscripts.some(mayBeNegative)) return node;
  const bounds = subscripts.map((bound, i) =>
    i < 2 && mayBeNegative(bound) ? internalCall('slice_bound', subject, bound) : bound,
  );
  return { ...node, children: [subject, ...bounds] };
}

const isNegative = (node: Expression): boolean => negativeInteger(node) !== undefined;

/**
 * Whether a subscript may be a negative integer. A text or NULL takes the type that its position requires, and so does a parameter: that
 * may be the key of a document.
 */
const mayBeNegative = (node: Expression): boolean =>
  isNegative(node) || (literalInteger(node) === undefined && !isUntyped(node) && !isNoNumber(node));

/** Whether a subscript certainly is a text, or is an omitted bound, for which the parser writes an empty array. */
const isNoNumber = (node: Expression): boolean =>
  (node.class === 'OPERATOR' && node.type === 'ARRAY_CONSTRUCTOR') ||
  (node.class === 'FUNCTION' && node.function_name === 'list_value') ||
  (node.class === 'CONSTANT' && node.value.type.id === 'LIST') ||
  (node.class === 'CAST' && node.cast_type.id === 'VARCHAR') ||
  (node.class === 'FUNCTION' && node.function_name === '||');
