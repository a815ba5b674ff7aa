import type { SqlResult } from '../sqllogic/database.ts';
import { textOfValue } from '../sqllogic/text-of-value.ts';

const TOLERANCE = 1e-9;
/** The maximum number of rows that are matched one by one if sorting them as texts does not align them. */
const MATCHED_ROWS = 5_000;

/**
 * The difference between a result and the reference's, in words; compared as multisets unless `ordered`.
 * Undefined if there is none.
 */
export function resultDifference(
  expected: SqlResult,
  actual: SqlResult,
  ordered: boolean,
): string | undefined {
  const [types, others] = [expected, actual].map(({ columns }) => columns.map(({ type }) => classOf(type)));
  if (types!.length !== others!.length) return `${others!.length} columns for ${types!.length}`;
  const column = types!.findIndex((type, i) => type !== others![i]);
  if (column >= 0) {
    return `column ${column + 1} is ${actual.columns[column]!.type} for ${expected.columns[column]!.type}`;
  }
  if (expected.rows.length !== actual.rows.length)
    return `${actual.rows.length} rows for ${expected.rows.length}`;
  const texts = ({ rows, columns }: SqlResult) =>
    rows.map((row) => row.map((value, i) => canonical(value, types![i]!, columns[i]!.type)));
  const inOrder = (rows: string[][]) =>
    ordered ? rows : rows.toSorted((a, b) => compared(a.join('\t'), b.join('\t')));
  const [wanted, found] = [inOrder(texts(expected)), inOrder(texts(actual))];
  const isSameRow = (a: readonly string[], b: readonly string[]) =>
    a.every((value, i) => value === b[i] || isNear(value, b[i]!, types![i]!));
  const at = wanted.findIndex((row, i) => !isSameRow(row, found[i]!));
  if (at < 0) return undefined;
  if (!ordered && wanted.length <= MATCHED_ROWS && areMatched(wanted, found, isSameRow)) return undefined;
  return `row ${at + 1}: [${found[at]!.join(', ')}] for [${wanted[at]!.join(', ')}]`;
}

const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function areMatched(
  wanted: readonly string[][],
  found: readonly string[][],
  isSameRow: (a: readonly string[], b: readonly string[]) => boolean,
): boolean {
  const left = [...found];
  return wanted.every((row) => {
    const at = left.findIndex((other) => isSameRow(row, other));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** A common class of the types of both sides: sums are wider on one side, and `1.5` is a DOUBLE on one. */
function classOf(type: string): string {
  const name = type.replace(/ null\b/g, '').toLowerCase();
  const list = /^array\((.*)\)$/.exec(name) ?? /^(.*)\[\]$/.exec(name);
  if (list !== null) return `list of ${classOf(list[1]!)}`;
  if (/^(u?(tiny|small|big|huge)?int(eger)?|long|double|float|real|(decimal|numeric)\(.*\))$/.test(name))
    return 'number';
  if (name === 'text' || name === 'varchar') return 'text';
  if (name === 'timestamp with time zone' || name === 'timestamptz') return 'timestamptz';
  return name;
}

function canonical(value: unknown, type: string, typeName: string): string {
  const text = textOfValue(value, typeName);
  if (type === 'number') return numberText(text);
  if (type === 'timestamptz') return text.replace(/\+00(:00)?$/, '+00');
  return text;
}

/**
 * Formats integers exactly, and other numbers such that noise in their last digits seldom changes their
 * order.
 */
const numberText = (text: string): string => {
  if (/^-?\d+$/.test(text)) return text;
  const word = text.toLowerCase().replace('infinity', 'inf');
  if (/^(-?inf|nan|null)$/.test(word)) return word;
  const number = Number(text);
  return Number.isSafeInteger(number) ? String(number) : number.toPrecision(12);
};

function isNear(a: string, b: string, type: string): boolean {
  if (type !== 'number' || (/^-?\d+$/.test(a) && /^-?\d+$/.test(b))) return false;
  const [x, y] = [Number(a), Number(b)];
  return Math.abs(x - y) <= TOLERANCE * Math.max(Math.abs(x), Math.abs(y), 1e-3);
}
