import { HASH_BUCKETS } from '@tessera/common';
import type { BlockRange } from '../shuffle.ts';

/**
 * The start of each bucket's rows in a batch, and the end of the last one.
 * @param counts the number of rows of each bucket
 */
export function bucketStarts(counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(HASH_BUCKETS + 1);
  for (let b = 0; b < HASH_BUCKETS; b++) starts[b + 1] = starts[b]! + counts[b]!;
  return starts;
}

/** Counts the rows of each bucket. */
export function addCounts(counts: Uint32Array, buckets: Uint16Array): void {
  for (let i = 0; i < buckets.length; i++) counts[buckets[i]!]!++;
}

/** The rows of a range of buckets in a batch. */
export function rangeOf(
  { rows, starts }: { readonly rows: number; readonly starts: Uint32Array | undefined },
  buckets: BlockRange['buckets'],
): { readonly from: number; readonly length: number } {
  if (buckets === undefined) return { from: 0, length: rows };
  if (starts === undefined) throw new Error('The output has no buckets');
  const from = starts[buckets[0]]!;
  return { from, length: starts[buckets[1]]! - from };
}

/** The rows of part `part` of `parts`. */
export function sliceOf(
  rows: number,
  [part, parts]: readonly [number, number] = [0, 1],
): readonly [from: number, to: number] {
  return [Math.floor((rows * part) / parts), Math.floor((rows * (part + 1)) / parts)];
}
