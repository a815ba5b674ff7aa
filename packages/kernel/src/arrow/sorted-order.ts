import { HASH_BUCKETS } from '@tessera/common';

/**
 * The positions of values in ascending order of the values; equal values keep their order.
 * @returns undefined if the values are already sorted
 */
export function sortedOrder(values: Uint16Array): Uint32Array | undefined {
  if (isSorted(values)) return undefined;
  let max = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > max) max = values[i]!;
  const next = new Uint32Array(max + 2);
  for (let i = 0; i < values.length; i++) next[values[i]! + 1]!++;
  for (let value = 1; value < next.length; value++) next[value]! += next[value - 1]!;
  const order = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i++) order[next[values[i]!]!++] = i;
  return order;
}

function isSorted(values: Uint16Array): boolean {
  for (let i = 1; i < values.length; i++) if (values[i]! < values[i - 1]!) return false;
  return true;
}

/** A piece is at least about this large: small ones cost more per row. */
const MIN_PIECE_BYTES = 128 * 1024;
const MAX_PIECES = 16;

/**
 * Where pieces of sorted rows begin, each with the rows of a range of hash buckets; ranges are equally wide, and pieces are not
 * empty.
 *
 * @param values hash buckets, at the positions that `order` gives
 */
export function pieceStarts(values: Uint16Array, order: Uint32Array, bytes: number): number[] {
  const wanted = Math.min(MAX_PIECES, Math.floor(bytes / MIN_PIECE_BYTES));
  // A power of two, so that the buckets of 2, 4, … consumers are whole pieces.
  const pieces = 2 ** Math.floor(Math.log2(Math.max(1, wanted)));
  const starts = [0];
  for (let piece = 1; piece < pieces; piece++) {
    const start = firstAtLeast(values, order, (piece * HASH_BUCKETS) / pieces);
    if (start > starts.at(-1)! && start < order.length) starts.push(start);
  }
  return starts;
}

/** The first position in the order whose value is not less than `value`. */
function firstAtLeast(values: Uint16Array, order: Uint32Array, value: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[order[middle]!]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
