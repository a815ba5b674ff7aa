import { fail } from '@tessera/common';
import { constant } from '../tree-build.ts';
import type { JoinRef, TableRef } from '../tree-nodes.ts';

/**
 * The kernel prints a cross join as a comma, which binds less tightly than `JOIN`:
 *     a CROSS JOIN b FULL JOIN c ON …   is printed   a, b FULL JOIN c ON …
 * This would be read back as `a × (b FULL JOIN c)` and return other rows. So a cross join inside another join
 * becomes `a INNER JOIN b ON true` before it is printed. The kernel also prints no parentheses around a join
 * on the right side of a join without a condition; such a statement is refused.
 */
export function joinsThatPrintRight(node: TableRef): TableRef {
  if (node.type !== 'JOIN' || node.ref_type === 'CROSS') return node;
  if ((node.ref_type === 'NATURAL' || node.ref_type === 'POSITIONAL') && node.right.type === 'JOIN') {
    fail('NOT_SUPPORTED', { what: `A ${node.ref_type} JOIN with a join in parentheses on its right side` });
  }
  const [left, right] = [withCondition(node.left), withCondition(node.right)];
  return left === node.left && right === node.right ? node : { ...node, left, right };
}

function withCondition(node: TableRef): TableRef {
  if (node.type !== 'JOIN' || node.ref_type !== 'CROSS') return node;
  const joined: JoinRef = {
    ...node,
    left: withCondition(node.left),
    right: withCondition(node.right),
    ref_type: 'REGULAR',
    condition: constant(true),
  };
  return joined;
}
