import type { Answer } from './simulated-cluster.ts';

const TOLERANCE = 1e-9;

/**
 * How two results differ as multisets of rows of the same types, or in order; undefined if they do not.
 * Floating-point numbers may differ slightly.
 */
export function differenceOf(expected: Answer, given: Answer, isOrdered = false): string | undefined {
  if (expected.types.join() !== given.types.join())
    return `types ${given.types} in place of ${expected.types}`;
  if (expected.rows.length !== given.rows.length)
    return `${given.rows.length} rows in place of ${expected.rows.length}`;
  const isFloat = expected.types.map((type) => /DOUBLE|FLOAT/.test(type));
  if (isOrdered) {
    const place = expected.rows.findIndex((row, i) => !sameRow(row, given.rows[i]!, isFloat));
    if (place >= 0) return `row ${place} is ${JSON.stringify(given.rows[place])}`;
    return undefined;
  }
  const sorted = ({ rows }: Answer) =>
    rows
      .map((row) => ({ row, key: row.map((value, i) => keyOf(value, isFloat[i] === true)).join('\u0001') }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const [left, right] = [sorted(expected), sorted(given)];
  const places = left.flatMap(({ row }, i) => (sameRow(row, right[i]!.row, isFloat) ? [] : [i]));
  if (places.length === 0) return undefined;
  // These are rows whose values are on different sides of a rounding boundary.
  const rest = places.map((i) => right[i]!.row);
  for (const i of places) {
    const found = rest.findIndex((row) => sameRow(left[i]!.row, row, isFloat));
    if (found < 0)
      return `row ${JSON.stringify(left[i]!.row)} is missing; for it ${JSON.stringify(right[i]!.row)}`;
    rest.splice(found, 1);
  }
  return undefined;
}

const keyOf = (value: unknown, isFloat: boolean): string =>
  isFloat && typeof value === 'number' ? value.toPrecision(5) : JSON.stringify(value);

const sameRow = (a: readonly unknown[], b: readonly unknown[], isFloat: readonly boolean[]): boolean =>
  a.every((value, i) => (isFloat[i] ? nearly(value, b[i]) : JSON.stringify(value) === JSON.stringify(b[i])));

function nearly(a: unknown, b: unknown): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return JSON.stringify(a) === JSON.stringify(b);
  return a === b || Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));
}
