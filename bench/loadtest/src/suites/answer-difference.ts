import { outputOrder } from './output-order.ts';

type Value = string | undefined;
type Row = readonly Value[];

export interface Answer {
  readonly values: readonly Row[];
  /** Whether numbers may have fewer digits than the other system's. */
  readonly fewDigits?: boolean;
}

/**
 * The difference between an answer and the expected one; undefined if there is none. Numbers may differ by
 * 1e-6 of their size, the order of rows only matters as far as ORDER BY determines it, and rows that tie at a
 * LIMIT may be chosen freely.
 */
export function answerDifference(
  sql: string,
  names: readonly string[],
  expected: Answer,
  found: Answer,
): string | undefined {
  if (expected.values.length !== found.values.length)
    return `${expected.values.length} rows, and ${found.values.length}`;
  const fewDigits = (expected.fewDigits ?? false) || (found.fewDigits ?? false);
  const same = (a: Value, b: Value) => sameValue(a, b, fewDigits);
  const all = names.map((_, column) => column);
  if (firstDifference(expected.values, found.values, all, same) === undefined) return undefined;
  const { columns, hasLimit } = outputOrder(sql, names);
  const order = firstDifference(expected.values, found.values, columns, same);
  const inner = firstDifference(sorted(expected.values, same), sorted(found.values, same), all, same);
  if (inner !== undefined && !hasLimit) return `row ${inner}`;
  return order === undefined ? undefined : `${inner === undefined ? 'order of ' : ''}row ${order}`;
}

/** `3: (a, 1) and (a, 2)`. */
function firstDifference(
  expected: readonly Row[],
  found: readonly Row[],
  columns: readonly number[],
  same: (a: Value, b: Value) => boolean,
): string | undefined {
  const at = expected.findIndex((row, n) => columns.some((column) => !same(row[column], found[n]![column])));
  if (at === -1) return undefined;
  const text = (row: Row) => `(${row.map((value) => value ?? 'NULL').join(', ')})`.slice(0, 200);
  return `${at + 1}: ${text(expected[at]!)} and ${text(found[at]!)}`;
}

function sorted(rows: readonly Row[], same: (a: Value, b: Value) => boolean): Row[] {
  return rows.toSorted((a, b) => {
    const column = a.findIndex((value, n) => !same(value, b[n]));
    if (column === -1) return 0;
    const [left, right] = [a[column], b[column]];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (NUMBER.test(left) && NUMBER.test(right)) return Number(left) - Number(right);
    return plain(left) < plain(right) ? -1 : 1;
  });
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const RELATIVE = 1e-6;
const ABSOLUTE = 1e-9;

function sameValue(a: Value, b: Value, fewDigits: boolean): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (!NUMBER.test(a) || !NUMBER.test(b)) return plain(a) === plain(b);
  const [left, right] = [Number(a), Number(b)];
  const apart = Math.abs(left - right);
  const size = Math.max(Math.abs(left), Math.abs(right));
  if (apart <= Math.max(RELATIVE * size, ABSOLUTE)) return true;
  const digits = Math.min(decimals(a), decimals(b));
  // The tolerance is slightly larger, because of rounding in the difference of two doubles.
  return fewDigits && digits > 0 && apart <= 1.000001 * 10 ** -digits;
}

const decimals = (text: string): number => /\.(\d+)$/.exec(text)?.[1]?.length ?? 0;

/** A normal form for values that systems write differently: padding, midnight, booleans, NaN. */
function plain(text: string): string {
  const bare = text
    .trimEnd()
    .replace(/[ T]00:00:00(\.0+)?$/, '')
    .replace(/(:\d\d)\.0+$/, '$1');
  const lower = bare.toLowerCase();
  if (lower === 'true' || lower === 't') return 't';
  if (lower === 'false' || lower === 'f') return 'f';
  return /^[+-]?(nan|inf(inity)?)$/.test(lower) ? lower.replace('infinity', 'inf') : bare;
}
