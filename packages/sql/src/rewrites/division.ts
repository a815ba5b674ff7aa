import { call, type Expression, type FunctionNode } from '../tree.ts';
import { walkTree } from '../tree-transform.ts';

/**
 * `a / b` → `a / tsr_divisor(b)`, likewise `%` and `//`: the kernel answers NULL for a division by zero, the dialect an
 * error. A divisor that is a literal other than zero stays as it is.
 */
export function divideByZeroFails(node: FunctionNode): Expression {
  const [dividend, divisor, more] = node.children;
  if (!node.is_operator || !['/', '%', '//'].includes(node.function_name)) return node;
  if (dividend === undefined || divisor === undefined || more !== undefined || isNonZeroLiteral(divisor))
    return node;
  return { ...node, children: [dividend, checked(divisor)] };
}

/** The macro evaluates its argument twice: subqueries and calls (which may be volatile) are bound to a name first. */
function checked(divisor: Expression): Expression {
  return call('tsr_divisor', divisor);
}

function isNonZeroLiteral(node: Expression): boolean {
  if (node.class !== 'CONSTANT' || node.value.is_null) return false;
  const { value } = node.value;
  return (typeof value === 'number' || typeof value === 'bigint') && Number(value) !== 0;
}
