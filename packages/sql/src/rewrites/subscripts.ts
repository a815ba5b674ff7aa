import { internalCall, literalInteger, negativeInteger } from '../functions/expressions.ts';
import { type Expression, type OperatorNode, walkTree } from '../tree.ts';

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

/** Whether a subscript is a negative integer, or computed from columns. A parameter takes the type that its position requires. */
function mayBeNegative(node: Expression): boolean {
  if (isNegative(node)) return true;
  if (literalInteger(node) !== undefined) return false;
  const isComputed =
    node.class === 'COLUMN_REF' ||
    (node.class === 'FUNCTION' && node.is_operator && node.function_name !== '||');
  return isComputed && readsColumns(node);
}

function readsColumns(node: Expression): boolean {
  let [reads, isOpen] = [false, false];
  walkTree(node, (part) => {
    if (!('class' in part)) return;
    reads ||= part.class === 'COLUMN_REF';
    isOpen ||= part.class === 'PARAMETER' || part.class === 'SUBQUERY';
  });
  return reads && !isOpen;
}
