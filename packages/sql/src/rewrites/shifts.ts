import { computedOnce, internalCall, literalInteger } from '../functions/expressions.ts';
import type { Expression, FunctionNode } from '../tree.ts';

/** `a << n` → `tsr_shift_left(a, n)`: the kernel shifts no negative number to the left. Literals that are not negative stay. */
export function shiftOfNegative(node: FunctionNode): Expression {
  const [value, places] = node.children;
  if (!node.is_operator || node.function_name !== '<<' || value === undefined || places === undefined)
    return node;
  if ((literalInteger(value) ?? -1) >= 0) return node;
  const shifted =
    isShort(value) && isShort(places)
      ? internalCall('shift_left', value, places)
      : computedOnce([value, places], (operands) => internalCall('shift_left', ...operands));
  return { ...shifted, alias: node.alias };
}

/** The macro contains its arguments several times. */
const isShort = (node: Expression): boolean =>
  node.class === 'CONSTANT' || node.class === 'COLUMN_REF' || (node.class === 'CAST' && isShort(node.child));
