import { internalCall } from '../functions/expressions.ts';
import { type CastNode, cast, constant, type Expression } from '../tree.ts';

const MICROSECOND_DIGITS = 6;

/**
 * `x::timestamp(3)` and `x::timestamptz(3)` round the value and have the type without digits, as in
 * PostgreSQL. The kernel maps the first to other types (TIMESTAMP_MS, TIMESTAMP_S) and does not accept digits
 * for the second.
 */
export function timeDigits(node: CastNode): Expression {
  const { id, type_info } = node.cast_type;
  if (id === 'TIMESTAMP_MS' || id === 'TIMESTAMP_S') return placed(cast(node, 'TIMESTAMP'), node);
  if (type_info?.type !== 'UNBOUND_TYPE_INFO' || type_info.user_type_modifiers.length === 0) return node;
  if (type_info.name === 'TIME') return placed(cast(node.child, 'TIME', node.try_cast), node);
  if (type_info.name !== 'TIMESTAMP WITH TIME ZONE') return node;
  const [modifier] = type_info.user_type_modifiers as readonly { readonly value?: unknown }[];
  const instant = cast(node.child, 'TIMESTAMP WITH TIME ZONE', node.try_cast);
  const digits = Number(modifier?.value ?? MICROSECOND_DIGITS);
  if (digits >= MICROSECOND_DIGITS) return placed(instant, node);
  return placed(internalCall('rounded_instant', instant, constant(digits)), node);
}

const placed = (value: Expression, { alias, query_location }: CastNode): Expression => ({
  ...value,
  alias,
  query_location,
});
