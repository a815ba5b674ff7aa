import type { ConstantNode, Expression } from '../tree.ts';

/**
 * `-9223372036854775808::bigint` → `(-9223372036854775808)::bigint`: the cast binds more tightly than the
 * sign, and the number without its sign is out of range.
 */
export function negativeLiteral(node: Expression): Expression {
  if (node.class !== 'FUNCTION' || !node.is_operator || node.function_name !== '-') return node;
  const [operand, second] = node.children;
  if (second !== undefined || operand?.class !== 'CAST' || operand.child.class !== 'CONSTANT') return node;
  const smallest = SMALLEST.get(operand.cast_type.id);
  if (smallest === undefined || integerOf(operand.child) !== smallest) return node;
  const value = { ...operand.child.value, type: { id: 'BIGINT', type_info: null }, value: -smallest };
  const { alias, query_location } = node;
  return { ...operand, child: { ...operand.child, value }, alias, query_location };
}

/** The absolute value of the smallest value of each type. */
const SMALLEST: ReadonlyMap<string, bigint> = new Map([
  ['SMALLINT', 2n ** 15n],
  ['INTEGER', 2n ** 31n],
  ['BIGINT', 2n ** 63n],
]);

function integerOf({ value: { value } }: ConstantNode): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'object') return undefined;
  return (BigInt(value.upper) << 64n) + BigInt(value.lower);
}
