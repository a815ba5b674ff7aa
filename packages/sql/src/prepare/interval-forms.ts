import { fail } from '@tessera/common';
import { computedOnce, internalCall, kernelCall, onceParts, operatorCall } from '../functions/expressions.ts';
import { INTERVAL_FORMATS } from '../functions/to-char.ts';
import { DIVIDED } from '../rewrites/division.ts';
import { isBareNull } from '../rewrites/literals.ts';
import {
  type CastNode,
  call,
  cast,
  column,
  comparison,
  constant,
  type Expression,
  type FunctionNode,
  type Statement,
  someExpression,
  spelling,
  stringLiteral,
  type WindowNode,
} from '../tree.ts';
import { kindsFrom } from './column-facts.ts';
import type { CatalogColumns, FactsOf } from './column-scope.ts';
import { operandsOf, withOperands } from './operands.ts';
import { rewriteInScope } from './scoped-expressions.ts';
import { isRepeatable, type KindOfColumn, valueKind } from './value-kind.ts';

const NAMES: ReadonlySet<string> = new Set([
  ...[
    '+',
    '-',
    '//',
    'avg',
    'sum',
    'strftime',
    'isfinite',
    'tsr_date_trunc',
    'greatest',
    'least',
    'tsr_pg_overlaps',
  ],
]);
/** The macros of fields of `to_char`. */
const FIELD = /^tsr_to_char_/;
/** The macros of fields that are the same for intervals. */
const OF_BOTH = /^tsr_to_char_(?:ssss|a_m|cc)$/;

const isKnown = (name: string): boolean => NAMES.has(name) || FIELD.test(name);

type Call = FunctionNode | WindowNode;

/**
 * Functions of times and intervals that the kernel does not have:
 *     i + NULL           →   i + NULL::interval
 *     i / n              →   i * (1.0 / n)
 *     t - i              →   t + months of i + days of i + microseconds of i     if i may have several parts, or see `mayMeet`
 *     tz - tz            →   the time between them in UTC; in the zone of the session, the kernel counts calendar days
 *     d - '2024-02-29'   →   d - DATE '2024-02-29'
 *     t - u              →   (DATE '2000-01-01' + t) - (DATE '2000-01-01' + u)
 *     ts + t             →   ts + ((DATE '2000-01-01' + t) - (DATE '2000-01-01' + TIME '00:00'))
 *     t + ts             →   ts + t
 *     date_trunc(u, t)   →   date_trunc(u, (DATE '2000-01-01' + t) - (DATE '2000-01-01' + TIME '00:00'))
 *     tz::time           →   tz::timestamp::time
 *     greatest(i, j)     →   CASE WHEN i >= j OR j IS NULL THEN i ELSE j END     the kernel compares the months first
 *     strftime(i, f)     →   tsr_interval_char(i, f)           of to_char
 *     i < j              →   total of i < total of j           if the parts of one may have several signs; the kernel compares the months first
 *     avg(i)             →   sum(i) / count(i)                 the kernel loses microseconds
 *     sum(i)             →   to_months(sum(months of i)) + to_days(sum(days of i)) + to_microseconds(sum(microseconds of i))
 * The text of the query and the catalog must say that the operands are times or intervals.
 * @param outermost see `rewriteInScope`
 * @param zone the time zone of the session
 */
export function intervalForms(
  statement: Statement,
  catalog: CatalogColumns,
  outermost: FactsOf,
  zone: string,
): Statement {
  if (!someExpression(statement, isConcerned)) return statement;
  const isSplit = mayMeet(statement);
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) => {
    if (isCastToTime(node)) return timeOf(node, kindsFrom(factsOf));
    if (!isCall(node)) return compares(node) ? byTotals(node, kindsFrom(factsOf)) : node;
    const ofColumn = kindsFrom(factsOf);
    return (
      (isSplit && movedInParts(node)) ||
      (zone !== 'UTC' && timeBetween(node, ofColumn)) ||
      formOf(node, ofColumn)
    );
  });
}

const isConcerned = (node: Expression): boolean =>
  (isCall(node) && isKnown(node.function_name)) || isCastToTime(node) || (partOf(node) ?? '').includes('-');

const isCastToTime = (node: Expression): node is CastNode =>
  node.class === 'CAST' && node.cast_type.id === 'TIME' && stringLiteral(node.child) === undefined;

const timeOf = (node: CastNode, ofColumn: KindOfColumn): CastNode =>
  valueKind(node.child, ofColumn) === 'timestamp'
    ? { ...node, child: cast({ ...node.child, alias: '' }, 'TIMESTAMP', node.try_cast) }
    : node;

const compares = (node: Expression): boolean =>
  node.class === 'COMPARISON' ||
  node.class === 'BETWEEN' ||
  (node.class === 'OPERATOR' && /^COMPARE_(?:NOT_)?IN$/.test(node.type));

function byTotals(node: Expression, ofColumn: KindOfColumn): Expression {
  const operands = operandsOf(node);
  if (operands.some((operand) => valueKind(operand, ofColumn) !== 'interval')) return node;
  if (operands.every((operand) => hasOneSign(operand, ofColumn))) return node;
  const total = (interval: Expression) =>
    isRepeatable(interval)
      ? internalCall('interval_total', interval)
      : computedOnce([interval], ([once]) => internalCall('interval_total', once));
  return withOperands(node, total);
}

/** Whether no part of an interval is negative where another one is positive, as far as its text tells. */
function hasOneSign(node: Expression, ofColumn: KindOfColumn): boolean {
  if (node.class === 'CAST') return !(partOf(node) ?? '-').includes('-');
  if (node.class !== 'FUNCTION') return false;
  const isDifference =
    node.function_name === '-' && node.children.every((child) => valueKind(child, ofColumn) !== 'interval');
  return isDifference || /^(?:age|tsr_time_between|to_[a-z]+)$/.test(node.function_name);
}

const PART_OF_UNIT: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:y|yrs?|years?|mons?|months?|quarters?|dec(?:ade)?s?|cent(?:ur(?:y|ies))?|mil(?:lennium|lennia)?)$/i,
    'months',
  ],
  [/^(?:d|days?|w|weeks?)$/i, 'days'],
];

/** `months`, `days` or `time` for an interval of one unit, the text of one of several; undefined for other expressions. */
function partOf(node: Expression): string | undefined {
  const isCallOfUnit = node.class === 'FUNCTION' && /^(?:to|tsr_date_add)_[a-z]+$/.test(node.function_name);
  const text =
    node.class === 'CAST' && node.cast_type.id === 'INTERVAL' ? stringLiteral(node.child) : undefined;
  const unit = isCallOfUnit
    ? node.function_name.replace(/^.*_/, '')
    : /^\s*[-+]?\d+\s*([a-z]+)\s*$/i.exec(text ?? '')?.[1];
  if (unit === undefined) return text;
  return PART_OF_UNIT.find(([units]) => units.test(unit))?.[1] ?? 'time';
}

/**
 * Whether a statement has intervals that may be equal without being the same, such as `30 days` and `1 month`. The kernel computes
 * `t + INTERVAL '1 month'` and `t + INTERVAL '30 days'` only once, as if they were one expression, unless their parts are added
 * one by one.
 */
function mayMeet(statement: Statement): boolean {
  const parts = new Set<string>();
  return someExpression(statement, (node) => {
    const part = partOf(node);
    if (part !== undefined) parts.add(part);
    return parts.size > 1;
  });
}

/** The sum or difference of an expression and an interval that is written in the statement. */
function movedInParts({ function_name: name, children: [first, second] }: Call): Expression | undefined {
  if ((name !== '+' && name !== '-') || first === undefined || second === undefined) return undefined;
  if (isWritten(second))
    return internalCall('plus_interval', first, name === '-' ? operatorCall('-', second) : second);
  return name === '+' && isWritten(first) ? internalCall('plus_interval', second, first) : undefined;
}

const isWritten = (node: Expression): boolean => node.class === 'CAST' && partOf(node) !== undefined;

function timeBetween(node: Call, ofColumn: KindOfColumn): Expression | undefined {
  const kinds = node.children.map((child) => valueKind(child, ofColumn));
  const isBetween =
    node.function_name === '-' &&
    kinds.length === 2 &&
    kinds.includes('timestamp') &&
    kinds.every(
      (kind, i) => kind === 'timestamp' || kind === 'date' || stringLiteral(node.children[i]!) !== undefined,
    );
  if (!isBetween) return undefined;
  const between = (times: readonly Expression[]) => internalCall('time_between', ...times);
  return node.children.every(isRepeatable) ? between(node.children) : computedOnce(node.children, between);
}

const isCall = (node: Expression): node is Call => node.class === 'FUNCTION' || node.class === 'WINDOW';

function formOf(node: Call, ofColumn: KindOfColumn): Expression {
  const [first, second] = node.children;
  if (first === undefined) return node;
  const pair = onceDivided(node);
  if (pair !== undefined && valueKind(pair[0]!, ofColumn) === 'interval') {
    const quotient = computedOnce(pair, ([i, n]) => divided(i!, call('tsr_divisor', n!, i!)), DIVIDED);
    return { ...quotient, alias: node.alias, query_location: node.query_location };
  }
  if (!isKnown(node.function_name)) return node;
  const kind = valueKind(first, ofColumn);
  if (node.function_name === 'avg') {
    const unnamed = { ...node, alias: '' };
    const isPlain = kind === 'interval' && !node.distinct;
    return isPlain
      ? divided(sumOf({ ...unnamed, function_name: 'sum' }, first), { ...unnamed, function_name: 'count' })
      : node;
  }
  if (node.function_name === 'sum')
    return kind === 'interval' && !node.distinct ? sumOf({ ...node, alias: '' }, first) : node;
  if (node.function_name === 'tsr_pg_overlaps') {
    // The macro contains each end several times.
    const overlap = computedOnce(ends(node.children, ofColumn), (all) => ({ ...node, children: all }));
    return { ...overlap, alias: node.alias, query_location: node.query_location };
  }
  if (node.function_name === 'greatest' || node.function_name === 'least') {
    const isOfIntervals = node.children.some((child) => valueKind(child, ofColumn) === 'interval');
    return isOfIntervals ? { ...chosen(node), alias: node.alias, query_location: node.query_location } : node;
  }
  if (kind === 'interval' || kind === 'time') {
    const written = writtenForm(node, first, kind);
    if (written !== undefined) return { ...written, alias: node.alias, query_location: node.query_location };
  }
  if (second === undefined) return node;
  const isSum = node.function_name === '+' || node.function_name === '-';
  if (isSum && [first, second].some(isBareNull)) return sumWithNull(node, ofColumn);
  if (node.function_name === 'tsr_date_trunc')
    return node.children.length === 2 && valueKind(second, ofColumn) === 'time'
      ? { ...node, children: [first, sinceMidnight(second)] }
      : node;
  if (node.function_name === '+' && kind === 'time' && valueKind(second, ofColumn) === 'timestamp')
    return formOf({ ...node, children: [second, first] }, ofColumn);
  if (node.function_name === '//') return kind === 'interval' ? divided(first, second) : node;
  const isDifference = node.function_name === '-';
  if (
    (isDifference || node.function_name === '+') &&
    kind === 'timestamp' &&
    valueKind(second, ofColumn) === 'time'
  ) {
    return { ...node, children: [first, sinceMidnight(second)] };
  }
  if ((isDifference || node.function_name === '+') && kind === 'timestamp' && hasParts(second, ofColumn)) {
    const interval = isDifference ? operatorCall('-', second) : second;
    const moved = computedOnce([first, interval], (operands) => internalCall('plus_interval', ...operands));
    return { ...moved, alias: node.alias, query_location: node.query_location };
  }
  if (isDifference && kind === 'timestamp' && stringLiteral(second) !== undefined) {
    const time = kernelCall('cast_to_type', second, first);
    return { ...operatorCall('-', first, time), alias: node.alias, query_location: node.query_location };
  }
  const date = isDifference && stringLiteral(second) !== undefined ? cast(second, 'DATE') : second;
  if (isDifference && kind === 'date' && valueKind(date, ofColumn) === 'date') {
    // The macro contains each date several times.
    const days = computedOnce([first, date], (dates) => internalCall('pg_days_between', ...dates));
    return { ...days, alias: node.alias, query_location: node.query_location };
  }
  return isDifference && kind === 'time' && valueKind(second, ofColumn) === 'time'
    ? operatorCall('-', onOneDay(first), onOneDay(second))
    : node;
}

/** The sum of a time or an interval and a NULL, which becomes an interval; the kernel finds several types that fit. */
function sumWithNull(node: Call, ofColumn: KindOfColumn): Call {
  if (!node.children.some((operand) => /^(?:interval|time)$/.test(valueKind(operand, ofColumn)))) return node;
  const children = node.children.map((one) => (isBareNull(one) ? cast(one, 'INTERVAL') : one));
  return { ...node, children };
}

/** Whether an expression is an interval that may have more than one part. */
const hasParts = (node: Expression, ofColumn: KindOfColumn): boolean => {
  const text = node.class === 'CAST' ? stringLiteral(node.child) : undefined;
  return valueKind(node, ofColumn) === 'interval' && !/^\s*[-+]?\d+\s*[a-z]+\s*$/i.test(text ?? '');
};

const divided = (interval: Expression, divisor: Expression): Expression =>
  operatorCall('*', interval, operatorCall('/', cast(constant(1), 'DOUBLE'), cast(divisor, 'DOUBLE')));

/** The operands of a division that `divideByZeroFails` computes with values that are evaluated once. */
function onceDivided(node: Call): readonly Expression[] | undefined {
  const once = onceParts(node);
  const isDivision = once?.form.class === 'FUNCTION' && once.form.function_name === '//';
  const dividend = call('array_extract', column(DIVIDED), constant(1));
  return isDivision && spelling(once.form.children[0]!) === spelling(dividend) ? once.values : undefined;
}

const chosen = ({ function_name: name, children }: Call): Expression =>
  children.reduce((best, other) =>
    computedOnce([best, other], (operands) => internalCall(`${name}_interval`, ...operands), 'tsr_intervals'),
  );

/** The ends of two periods. A period may be given by its beginning and its length. */
const ends = ([a, b, c, d]: readonly Expression[], ofColumn: KindOfColumn): readonly Expression[] =>
  [
    [a!, b!],
    [c!, d!],
  ].flatMap(([from, to]) => [
    from!,
    valueKind(to!, ofColumn) === 'interval'
      ? operatorCall('+', isBareNull(from!) ? cast(from!, 'TIMESTAMP') : from, to)
      : to!,
  ]);

/** A part of `to_char(time, …)` or `to_char(interval, …)`; undefined for another function. */
function writtenForm(
  { function_name: name, children: [, format] }: Call,
  value: Expression,
  kind: 'interval' | 'time',
): Expression | undefined {
  if (name === 'isfinite') return comparison('COMPARE_EQUAL', value, value);
  if (OF_BOTH.test(name) || !(name === 'strftime' || FIELD.test(name))) return undefined;
  const shown =
    format ??
    constant(
      INTERVAL_FORMATS[name] ?? fail('NOT_SUPPORTED', { what: 'This field of to_char for intervals' }),
    );
  return kind === 'interval'
    ? internalCall('interval_char', value, shown)
    : kernelCall('strftime', onOneDay(value), shown);
}

const onOneDay = (time: Expression): Expression =>
  operatorCall('+', cast(constant('2000-01-01'), 'DATE'), { ...time, alias: '' });

const MIDNIGHT: Expression = cast(constant('00:00'), 'TIME');

const sinceMidnight = (time: Expression): Expression => operatorCall('-', onOneDay(time), onOneDay(MIDNIGHT));

function sumOf(node: Call, interval: Expression): Expression {
  const part = (unit: string, macro: string, type: string): Expression =>
    kernelCall(`to_${unit}`, cast({ ...node, children: [internalCall(macro, interval)] }, type));
  const days = operatorCall(
    '+',
    part('months', 'interval_months', 'INTEGER'),
    part('days', 'interval_only_days', 'INTEGER'),
  );
  return operatorCall('+', days, part('microseconds', 'interval_time', 'BIGINT'));
}
