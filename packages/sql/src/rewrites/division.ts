import { computedOnce, operatorCall } from '../functions/expressions.ts';
import { call, constant, type Expression, type FunctionNode, stringLiteral, walkTree } from '../tree.ts';

/**
 * `a / b` → `a // tsr_divisor(b, a)`, and the same for `%` and `//`: the kernel answers NULL for a division
 * by zero, the dialect raises an error unless the dividend is NULL. A non-zero literal divisor stays as it
 * is. With `integer_division`, the kernel's parser reads `/` as `//`, except where it only plans.
 */
export function divideByZeroFails(node: FunctionNode): Expression {
  const [dividend, divisor, more] = node.children;
  if (!node.is_operator || !['/', '%', '//'].includes(node.function_name)) return node;
  if (dividend === undefined || divisor === undefined || more !== undefined) return node;
  const function_name = node.function_name === '/' ? '//' : node.function_name;
  const literal = literalNumber(divisor);
  if (literal !== undefined && literal !== 0) return { ...node, function_name };
  // The text '0' takes the type that its position requires and is zero in every type.
  const number = stringLiteral(divisor) !== undefined && literal === 0 ? constant(0) : divisor;
  if (!mayCost(dividend) && !mayCost(number)) {
    return { ...node, function_name, children: [dividend, call('tsr_divisor', number, dividend)] };
  }
  return { ...evaluatedOnce(function_name, dividend, number), alias: node.alias };
}

/** The name of both operands of a division whose operands are evaluated once. */
export const DIVIDED = 'tsr_pair';

/** The macro evaluates its arguments more than once. */
const evaluatedOnce = (name: string, dividend: Expression, divisor: Expression): Expression =>
  computedOnce([dividend, divisor], ([x, y]) => operatorCall(name, x, call('tsr_divisor', y!, x!)), DIVIDED);

/**
 * Expressions with more nodes, and those that contain a division, are evaluated once: repeating them would
 * multiply their size at every level.
 */
const MAX_REPEATED_NODES = 40;

function mayCost(operand: Expression): boolean {
  let nodes = 0;
  let found = false;
  walkTree(operand, (node) => {
    nodes += 1;
    if (!('class' in node)) return;
    found ||= node.class === 'SUBQUERY' || (node.class === 'FUNCTION' && COSTLY.has(node.function_name));
  });
  return found || nodes > MAX_REPEATED_NODES;
}

const COSTLY: ReadonlySet<string> = new Set([
  'random',
  'gen_random_uuid',
  'uuid',
  'uuidv4',
  'uuidv7',
  'tsr_divisor',
]);

function literalNumber(node: Expression): number | undefined {
  if (node.class === 'CAST') return node.cast_type.id === 'DOUBLE' ? literalNumber(node.child) : undefined;
  if (node.class !== 'CONSTANT' || node.value.is_null) return undefined;
  const { value } = node.value;
  if (typeof value === 'string')
    return /^\s*[-+]?[\d.]+(?:e[-+]?\d+)?\s*$/i.test(value) ? Number(value) : undefined;
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}
