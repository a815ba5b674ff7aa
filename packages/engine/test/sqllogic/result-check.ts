import { createHash } from 'node:crypto';
import type { SqlResult } from './database.ts';
import type { QueryRecord } from './records.ts';
import { textOfValue } from './text-of-value.ts';

export interface CheckOptions {
  /** The relative tolerance for numbers. */
  readonly tolerance: number;
  /** Whether the type letters are checked: `I`, `R`, `T`, `B`. */
  readonly checkTypes: boolean;
  /** Whether values are rendered as SQLite's own runner does: `I` as integers, `R` with three digits. */
  readonly asSqlite: boolean;
  /** Whether the rows may be in any order. */
  readonly anyOrder?: boolean;
}

const HASHED = /^(\d+) values hashing to ([0-9a-f]{32})$/;

/** The difference between a result and the expected one; undefined if there is none. */
export function differenceOf(
  result: SqlResult,
  record: QueryRecord,
  options: CheckOptions,
): string | undefined {
  const { columns } = result;
  if (options.checkTypes) {
    const wrong = wrongType(result, record.types);
    if (wrong !== undefined) return wrong;
  }
  const expected = record.expected;
  if (expected === undefined) return undefined;
  const rows = sorted(renderedRows(result, record.types, options), record.sort);
  const hashed = HASHED.exec(expected[0] ?? '');
  if (hashed !== null && expected.length === 1) {
    const values = rows.flat();
    if (values.length !== Number(hashed[1])) return `${values.length} values for ${hashed[1]}`;
    return hashOf(values) === hashed[2] ? undefined : `values hash to ${hashOf(values)} for ${hashed[2]}`;
  }
  const wanted = sorted(expectedRows(expected, columns.length, rows.length), record.sort);
  if (wanted.length !== rows.length)
    return `${rows.length} rows for ${wanted.length}${excerpt(rows, wanted)}`;
  const types = record.sort === 'valuesort' ? [''] : columns.map(({ type }) => type);
  const isSameRow = (row: readonly string[], other: readonly string[]) =>
    row.length === other.length &&
    row.every((value, j) => isSame(value, other[j]!, types[j]!, options.tolerance));
  const at = rows.findIndex((row, i) => !isSameRow(row, wanted[i]!));
  if (at < 0 || (options.anyOrder && areSameInAnyOrder(rows, wanted, isSameRow))) return undefined;
  return `row ${at + 1}: ${rows[at]!.join(' | ')}${excerpt(rows, wanted)}`;
}

type SameRow = (row: readonly string[], other: readonly string[]) => boolean;

function areSameInAnyOrder(
  rows: readonly string[][],
  wanted: readonly string[][],
  isSameRow: SameRow,
): boolean {
  const left = [...wanted];
  return rows.every((row) => {
    const at = left.findIndex((other) => isSameRow(row, other));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** The result as lines of a file: what a record without expectation would expect. */
export function linesOf(result: SqlResult, record: QueryRecord): string[] {
  const options = { tolerance: 0, checkTypes: false, asSqlite: false };
  return sorted(renderedRows(result, record.types, options), record.sort).map((row) => row.join('\t'));
}

function renderedRows({ columns, rows }: SqlResult, types: string, { asSqlite }: CheckOptions): string[][] {
  return rows.map((row) =>
    row.map((value, i) => {
      if (!asSqlite || value === null) return textOfValue(value, columns[i]!.type);
      if (types[i] === 'I') return typeof value === 'boolean' ? String(Number(value)) : integerText(value);
      return types[i] === 'R' ? Number(value).toFixed(3) : printable(textOfValue(value, columns[i]!.type));
    }),
  );
}

const integerText = (value: unknown): string => {
  const text = String(value);
  return /^-?\d+$/.test(text) ? text : String(Math.trunc(Number(text)) || 0);
};

const printable = (text: string): string => text.replace(/[^ -~]/g, '@');

/** The expected rows: one line per row, with tab-separated values, or one line per value. */
function expectedRows(lines: readonly string[], columns: number, rows: number): string[][] {
  const cells = lines.map((line) => line.split('\t'));
  if (columns === 1 || lines.length === 0) return lines.map((line) => [line]);
  if (cells.every((row) => row.length === columns)) return cells;
  if (lines.length !== columns * rows && lines.length % columns !== 0) return cells;
  return Array.from({ length: lines.length / columns }, (_, i) =>
    lines.slice(i * columns, (i + 1) * columns),
  );
}

function sorted(rows: string[][], sort: QueryRecord['sort']): string[][] {
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  if (sort === 'rowsort') return rows.toSorted((a, b) => order(a.join('\t'), b.join('\t')));
  if (sort === 'valuesort')
    return rows
      .flat()
      .sort(order)
      .map((value) => [value]);
  return rows;
}

const hashOf = (values: readonly string[]): string =>
  createHash('md5')
    .update(values.map((value) => `${value}\n`).join(''))
    .digest('hex');

const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const TRUTHS: Readonly<Record<string, boolean>> = {
  true: true,
  True: true,
  1: true,
  t: true,
  false: false,
  False: false,
  0: false,
  f: false,
};

function isSame(value: string, wanted: string, type: string, tolerance: number): boolean {
  if (value === wanted || value === wanted.trimEnd()) return true;
  if (wanted.startsWith('<REGEX>:')) return new RegExp(`^(?:${wanted.slice(8)})$`, 's').test(value);
  if (wanted.startsWith('<!REGEX>:')) return !new RegExp(`^(?:${wanted.slice(9)})$`, 's').test(value);
  if (type.startsWith('boolean')) return TRUTHS[value] !== undefined && TRUTHS[value] === TRUTHS[wanted];
  if (!NUMBER.test(value) || !NUMBER.test(wanted)) return false;
  const [a, b] = [Number(value), Number(wanted)];
  if (/^-?\d+$/.test(value) && /^-?\d+$/.test(wanted)) return BigInt(value) === BigInt(wanted);
  return Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
}

const LETTERS: readonly [letter: string, types: RegExp][] = [
  [
    'I',
    /^(int|integer|long|bigint|hugeint|uhugeint|smallint|tinyint|u\w*int(eger)?|decimal\(\d+, ?0\))( null)?$/,
  ],
  ['R', /^(float|real|double|decimal\(.*\)|numeric\(.*\))( null)?$/],
  ['B', /^boolean( null)?$/],
];

/** `I` means integers, `R` other numbers, `B` booleans, `T` everything else. */
function wrongType({ columns }: SqlResult, types: string): string | undefined {
  if (columns.length !== types.length) return `${columns.length} columns for ${types.length}`;
  for (const [i, { type }] of columns.entries()) {
    const letter = LETTERS.find(([, pattern]) => pattern.test(type))?.[0] ?? 'T';
    const isFine = types[i] === letter || (types[i] === 'R' && letter === 'I');
    if (!isFine) return `column ${i + 1} is ${type}, not ${types[i]}`;
  }
  return undefined;
}

const SHOWN = 8;
const excerpt = (rows: readonly (readonly string[])[], wanted: readonly (readonly string[])[]): string => {
  const text = (some: readonly (readonly string[])[]) =>
    some
      .slice(0, SHOWN)
      .map((row) => row.join(' | '))
      .join('\n    ');
  return `\n  got\n    ${text(rows)}\n  expected\n    ${text(wanted)}`;
};
