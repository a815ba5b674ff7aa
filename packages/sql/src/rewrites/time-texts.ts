import { REFUSED_END } from '@tessera/kernel';
import { internalCall, operatorCall } from '../functions/expressions.ts';
import { DATE_BEGINS, DATE_TEXT, ERA } from '../text/date-texts.ts';
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
const INTERVAL_OFFSET = /^\s*([+-]?)(\d{1,2}):([0-5]\d)(?::00)?\s*$/;

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
  kernelEra(
    text
      .replace(WITHOUT_DASHES, '$1-$2-$3')
      .replace(BLANK_BEFORE_OFFSET, '$1')
      .replace(OFFSET_BEHIND_MINUTES, '$1:00'),
  );

const BEFORE_CHRIST = new RegExp(ERA, 'i');

/** `0044-03-15 10:00 BC` → `0044-03-15 (BC) 10:00` */
export const kernelEra = (text: string): string => text.replace(BEFORE_CHRIST, '$1 (BC)$2');

const BEGINS_WITH_DATE = new RegExp(DATE_BEGINS);
const WHOLE_DATE = new RegExp(`^${DATE_TEXT}$`);

/** As `kernelTimeText`, but `2024-01-01 x`, whose end the kernel would ignore, becomes a text that it refuses. */
const kernelDateText = (text: string): string =>
  BEGINS_WITH_DATE.test(text) && !WHOLE_DATE.test(text) ? REFUSED_END + text : kernelTimeText(text);

/** A string that only a cast to a date or a point in time makes different for PostgreSQL and the kernel. */
export function isForeignTimeText(node: Expression): node is ConstantNode {
  const text = node.class === 'CONSTANT' ? stringLiteral(node) : undefined;
  return text !== undefined && kernelDateText(text) !== text;
}

/** The string in the kernel's spelling. */
export function withKernelTimeText(node: ConstantNode, type: string): ConstantNode {
  const spelled = type === 'DATE' ? kernelDateText : kernelTimeText;
  return { ...node, value: { ...node.value, value: spelled(String(node.value.value)) } };
}

/**
 * `CAST('2024-02-29 12:34:56 +00:00' AS TIMESTAMPTZ)` → `CAST('2024-02-29 12:34:56+00:00' AS TIMESTAMPTZ)`, and
 * `CAST(CAST(x AS TEXT) AS TIMESTAMPTZ)` → `CAST(time_text(CAST(x AS TEXT)) AS TIMESTAMPTZ)`, which does the same for each row.
 * `CAST(x AS TIMESTAMPTZ)` of a column → `CAST(instant_text(x) AS TIMESTAMPTZ)`, which does it if the column is a text.
 */
export function timeLiteral(node: CastNode): CastNode {
  const { child, cast_type } = node;
  if (!TIMES.has(cast_type.id)) return node;
  if (isForeignTimeText(child)) return { ...node, child: withKernelTimeText(child, cast_type.id) };
  if (child.class === 'CAST' && child.cast_type.id === 'VARCHAR')
    return { ...node, child: internalCall('time_text', child) };
  const mayBeText =
    cast_type.id === 'TIMESTAMP WITH TIME ZONE' && child.class === 'COLUMN_REF' && !node.try_cast;
  return mayBeText ? { ...node, child: internalCall('instant_text', child) } : node;
}
