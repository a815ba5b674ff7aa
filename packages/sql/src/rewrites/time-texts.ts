import { internalCall, operatorCall } from '../functions/expressions.ts';
import { isTimeType, kernelTime, mayBeForeignTime, type TimeType } from '../text/time-text.ts';
import {
  type CastNode,
  type ConstantNode,
  call,
  cast,
  constant,
  type Expression,
  type FunctionNode,
  stringLiteral,
} from '../tree.ts';

/** An offset after the name of a zone, which only shows: `+02:00`, `UTC+2`, `<+0530>-5:30`. */
const OFFSET = /^(?:[a-z]+|<[+-]?\w+>)?([+-]?)(\d{1,2})(?::([0-5]\d))?(?::00)?$/i;
const INTERVAL_OFFSET = /^\s*([+-]?)(\d{1,2})(?::([0-5]\d)(?::00)?|\s*hours?)\s*$/i;

/**
 * `x AT TIME ZONE '+05:30'` → `tsr_at_offset(x, -330)`, and the same for `'UTC+5:30'`. PostgreSQL follows POSIX, which counts
 * such offsets to the west of Greenwich; the kernel counts `UTC+5` to the east, drops its minutes, and does not know
 * `+05:30`. An interval, as in `x AT TIME ZONE INTERVAL '05:30'`, counts to the east in PostgreSQL too.
 */
export function posixZone(node: FunctionNode): FunctionNode {
  const [zone, ...rest] = node.children;
  if (node.function_name !== 'timezone' || zone === undefined || rest.length !== 1) return node;
  const isInterval = zone.class === 'CAST' && zone.cast_type.id === 'INTERVAL';
  const [offset, sign, hours, minutes = '0'] = isInterval
    ? (INTERVAL_OFFSET.exec(stringLiteral(zone.child) ?? '') ?? [])
    : (OFFSET.exec(stringLiteral(zone) ?? '') ?? []);
  if (offset === undefined) return node;
  const east = (Number(hours) * 60 + Number(minutes)) * ((sign === '-') === isInterval ? -1 : 1);
  const { alias, query_location } = node;
  // Minus zero would be printed as a fraction.
  return { ...internalCall('at_offset', ...rest, constant(east || 0)), alias, query_location };
}

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

const TYPES: ReadonlySet<string> = new Set(['DATE', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE']);

/** Days from today. */
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/**
 * `'now'::timestamp` → `now()::timestamp` and `date 'yesterday'` → `(now()::date + -1)::date`, as PostgreSQL reads these words.
 * The kernel knows none of them.
 */
export function clockText(node: Expression): Expression {
  if (node.class !== 'CAST' || !TYPES.has(node.cast_type.id)) return node;
  const word = stringLiteral(node.child)?.trim().toLowerCase() ?? '';
  if (word === 'now') return { ...node, child: call('now') };
  const days = Object.hasOwn(DAYS, word) ? DAYS[word] : undefined;
  if (days === undefined) return node;
  return { ...node, child: operatorCall('+', cast(call('now'), 'DATE'), constant(days)) };
}

/** A string that only a cast to a date or a time makes different for PostgreSQL and the kernel. */
export function isForeignTimeText(node: Expression): node is ConstantNode {
  const text = node.class === 'CONSTANT' ? stringLiteral(node) : undefined;
  return text !== undefined && (mayBeForeignTime(text) || isClockWord(text));
}

const isClockWord = (text: string): boolean => /^\s*(?:now|today|tomorrow|yesterday|epoch)\s*$/i.test(text);

/** The string in the kernel's spelling, or for a word such as `today` the expression that it stands for. */
export function withKernelTimeText(node: ConstantNode, type: TimeType): Expression {
  const clock = clockText(cast(node, type));
  if (clock.class === 'CAST' && clock.child !== node) return { ...clock, alias: node.alias };
  return { ...node, value: { ...node.value, value: kernelTime(String(node.value.value), type) } };
}

/**
 * `CAST('2024-02-29 12:34:56 +00:00' AS TIMESTAMPTZ)` → `CAST('2024-02-29 12:34:56+00:00' AS TIMESTAMPTZ)`. `valueTexts` does the same
 * for the texts of expressions.
 */
export function timeLiteral(node: CastNode): CastNode {
  const { child, cast_type } = node;
  if (!isTimeType(cast_type.id) || child.class !== 'CONSTANT' || stringLiteral(child) === undefined)
    return node;
  return { ...node, child: withKernelTimeText(child, cast_type.id) };
}
