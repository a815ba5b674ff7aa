import { cellText, isNumeric } from '../engine/answer.ts';

export interface Sorting {
  readonly column: number;
  readonly descending: boolean;
}

type Rows = readonly (readonly unknown[])[];

/** The numbers of the rows that contain a text, in any column and letter case, in the order of a column. */
export function rowOrder(
  rows: Rows,
  types: readonly string[],
  filter: string,
  sorting: Sorting | undefined,
): Uint32Array {
  const wanted = filter.toLowerCase();
  const found = Array.from(rows.keys()).filter(
    (at) => wanted === '' || rows[at]!.some((value) => cellText(value).toLowerCase().includes(wanted)),
  );
  if (sorting !== undefined) {
    const { column, descending } = sorting;
    const compare = isNumeric(types[column] ?? '') ? compareNumbers : compareTexts;
    const sign = descending ? -1 : 1;
    found.sort((a, b) => {
      const [x, y] = [rows[a]![column], rows[b]![column]];
      // NULL comes last in both directions.
      if (x === null || y === null) return Number(x === null) - Number(y === null) || a - b;
      return sign * compare(x, y) || a - b;
    });
  }
  return Uint32Array.from(found);
}

/** Integers of 64 bits and decimals are texts in results. They are compared exactly where a double cannot tell them apart. */
function compareNumbers(a: unknown, b: unknown): number {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== y) return x < y ? -1 : 1;
  if (/^-?\d+$/.test(String(a)) && /^-?\d+$/.test(String(b)))
    return Number(BigInt(String(a)) - BigInt(String(b)));
  return 0;
}

function numberOf(value: unknown): number {
  const text = String(value);
  if (text === 'nan') return Number.POSITIVE_INFINITY;
  if (text.endsWith('inf')) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}

function compareTexts(a: unknown, b: unknown): number {
  const [x, y] = [cellText(a), cellText(b)];
  return x === y ? 0 : x < y ? -1 : 1;
}
