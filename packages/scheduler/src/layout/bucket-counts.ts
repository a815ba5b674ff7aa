import type { TaskOutcome } from '@tessera/distexec';
import { HASH_BUCKETS } from '@tessera/planner';

/** The number of rows of an output in a range of buckets; undefined if its buckets were not counted. */
export function rowsInBuckets(
  { bucketRows }: Pick<TaskOutcome, 'bucketRows'>,
  [from, to]: readonly [number, number],
): number | undefined {
  if (bucketRows.length === 0) return undefined;
  const sums = runningSums(bucketRows);
  return sums[to]! - sums[from]!;
}

/**
 * The bytes of each bucket, summed over outputs. If an output's buckets were not counted, its bytes are
 * assumed to be spread evenly.
 */
export function bucketBytes(outcomes: readonly TaskOutcome[]): Float64Array {
  const bytes = new Float64Array(HASH_BUCKETS);
  for (const { rows, bytes: total, bucketRows } of outcomes) {
    if (rows === 0) continue;
    const perRow = Math.max(1, total / rows);
    if (bucketRows.length === 0)
      for (let b = 0; b < HASH_BUCKETS; b++) bytes[b]! += (rows * perRow) / HASH_BUCKETS;
    else for (let b = 0; b < HASH_BUCKETS; b++) bytes[b]! += bucketRows[b]! * perRow;
  }
  return bytes;
}

const known = new WeakMap<readonly number[], Float64Array>();

function runningSums(bucketRows: readonly number[]): Float64Array {
  const kept = known.get(bucketRows);
  if (kept !== undefined) return kept;
  const sums = new Float64Array(HASH_BUCKETS + 1);
  for (let b = 0; b < HASH_BUCKETS; b++) sums[b + 1] = sums[b]! + bucketRows[b]!;
  known.set(bucketRows, sums);
  return sums;
}
