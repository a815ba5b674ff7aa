import type { Column } from '../parquet/column.ts';
import { TextBuilder } from '../parquet/text-builder.ts';
import { RandomStream } from './random-stream.ts';
import type { RowCounts } from './row-counts.ts';
import type { TextPool } from './text-pool.ts';

/** The state from which the rows of every table are made. */
export interface Making {
  readonly counts: RowCounts;
  readonly textPool: TextPool;
}

/** Some consecutive units: rows; for `lineitem`, orders of several rows; for `partsupp`, parts of four rows. */
export interface RowRange {
  /** From 0. */
  readonly first: number;
  readonly count: number;
}

/** Makes the columns of some rows, in the order of the table. */
export type RowMaker = (making: Making, range: RowRange) => Column[];

/** Draws a number for each row from a stream of its own. */
export function numbers(
  { first, count }: RowRange,
  seed: number,
  least: number,
  greatest: number,
): Int32Array<ArrayBuffer> {
  const stream = new RandomStream(seed, 1, first);
  const values = new Int32Array(count);
  for (let i = 0; i < count; i++) values[i] = stream.integer(least, greatest);
  return values;
}

/** Draws a position in `words` for each row from a stream of its own. */
export function words(range: RowRange, seed: number, list: readonly string[]): Column {
  return { type: 'words', words: list, places: Uint8Array.from(numbers(range, seed, 0, list.length - 1)) };
}

/** The keys of consecutive rows. */
export function keys({ first, count }: RowRange): Float64Array<ArrayBuffer> {
  return Float64Array.from({ length: count }, (_, i) => first + i + 1);
}

/** `prefix`, followed by each value with leading zeros. */
export function tags(prefix: string, values: ArrayLike<number>, width: number): Column {
  const builder = new TextBuilder(values.length * (4 + prefix.length + width));
  const bytes = new TextEncoder().encode(prefix);
  for (let i = 0; i < values.length; i++) {
    builder.begin(bytes.length + 20);
    builder.put(bytes);
    builder.putNumber(values[i]!, width);
    builder.finish();
  }
  return builder.column();
}

/** The bounds of a text's length, which are derived from its average. */
export const lengthsAbout = (average: number): readonly [least: number, greatest: number] => [
  Math.trunc(average * 0.4),
  Math.trunc(average * 1.6),
];
