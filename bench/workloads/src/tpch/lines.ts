import { RandomStream } from './random-stream.ts';
import { type Making, numbers, type RowRange } from './row-maker.ts';

/** The maximum number of lines of an order. Each order has this many numbers in the streams of its lines. */
export const MOST_LINES = 7;

/** Days since 1970: 1992-01-01, the last day of an order, and 1995-06-17, the current date of the data set. */
const FIRST_DAY = 8035;
const LAST_ORDER_DAY = FIRST_DAY + 2405;
const TODAY = 9298;

export const inThePast = (day: number): boolean => day <= TODAY;

/** A stream of random numbers for lines: its seed, and the minimum and maximum of its numbers. */
type LineStream = readonly [seed: number, least: number, greatest: number];

export const STREAM = {
  quantity: [209_208_115, 1, 50],
  discount: [554_590_007, 0, 10],
  tax: [721_958_466, 0, 8],
  supplier: [2_095_021_727, 0, 3],
  shipDays: [1_769_349_045, 1, 121],
  commitDays: [904_914_315, 30, 90],
  receiptDays: [373_135_028, 1, 30],
  instruction: [1_371_272_478, 0, 3],
  mode: [675_466_456, 0, 6],
} as const satisfies Record<string, LineStream>;

/** The keys of orders. Of every 32 consecutive keys, the first eight are used (clause 4.2.3). */
export function orderKeys({ first, count }: RowRange): Float64Array<ArrayBuffer> {
  return Float64Array.from({ length: count }, (_, row) => {
    const order = first + row + 1;
    return Math.floor(order / 8) * 32 + (order % 8);
  });
}

export const orderDates = (orders: RowRange): Int32Array<ArrayBuffer> =>
  numbers(orders, 1_066_728_069, FIRST_DAY, LAST_ORDER_DAY);

export const lineCounts = (orders: RowRange): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(numbers(orders, 1_434_868_289, 1, MOST_LINES));

export const totalOf = (counts: Uint8Array): number => counts.reduce((sum, count) => sum + count, 0);

export const partKeys = ({ counts }: Making, orders: RowRange, lines: Uint8Array): Int32Array<ArrayBuffer> =>
  lineNumbers(orders, lines, [1_808_217_256, 1, counts.part]);

/** Draws a number for each line of some orders. */
export function lineNumbers(
  { first, count }: RowRange,
  lines: Uint8Array,
  [seed, least, greatest]: LineStream,
): Int32Array<ArrayBuffer> {
  const stream = new RandomStream(seed, MOST_LINES, first);
  const values = new Int32Array(totalOf(lines));
  let end = 0;
  for (let order = 0; order < count; order++) {
    const wanted = lines[order]!;
    for (let line = 0; line < wanted; line++) values[end++] = stream.integer(least, greatest);
    stream.skip(MOST_LINES - wanted);
  }
  return values;
}
