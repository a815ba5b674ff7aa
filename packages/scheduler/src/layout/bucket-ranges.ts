import { HASH_BUCKETS } from '@tessera/planner';

export interface BucketRange {
  readonly from: number;
  /** The end of the range, exclusive. */
  readonly to: number;
  readonly bytes: number;
  /** The number of parts into which its rows are divided; 1 for ranges of more than one bucket. */
  readonly parts: number;
}

export interface RangeWishes {
  /** The maximum number of ranges, not counting hot buckets that stand alone. */
  readonly tasks: number;
  /** A range with fewer bytes is not worth a task of its own. */
  readonly minBytes: number;
  /** For each bucket, the bytes that may be divided further; undefined if nothing may. */
  readonly cuttable?: Float64Array | undefined;
}

/** A bucket larger than an even share times this factor is hot. */
const HOT = 1.5;

/**
 * Contiguous ranges that cover all buckets with sizes as even as the buckets allow. A bucket that is too
 * large stands alone and is divided if most of its bytes may be; each part then reads the whole rest of the
 * bucket.
 */
export function bucketRanges(bytes: Float64Array, wishes: RangeWishes): readonly BucketRange[] {
  const total = bytes.reduce((sum, one) => sum + one, 0);
  const tasks = Math.max(1, Math.min(wishes.tasks, Math.ceil(total / wishes.minBytes), HASH_BUCKETS));
  const share = total / tasks;
  const hot = new Map<number, number>();
  for (let b = 0; b < HASH_BUCKETS; b++) {
    const cuttable = wishes.cuttable?.[b] ?? 0;
    if (tasks > 1 && bytes[b]! > HOT * share && cuttable >= (2 / 3) * bytes[b]!)
      hot.set(b, Math.min(wishes.tasks, Math.max(2, Math.round(cuttable / share))));
  }
  const parts = [...hot.values()].reduce((sum, one) => sum + one, 0);
  return [...evenRanges(bytes, [...hot.keys()], Math.max(1, tasks - parts))]
    .map((range) => ({ ...range, parts: 1 }))
    .concat([...hot].map(([b, n]) => ({ from: b, to: b + 1, bytes: bytes[b]!, parts: n })))
    .sort((a, b) => a.from - b.from);
}

interface PlainRange {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** Ranges by the smallest size limit that needs at most this many ranges, found by bisection. */
function evenRanges(bytes: Float64Array, hot: readonly number[], count: number): readonly PlainRange[] {
  const segments = segmentsBetween(hot);
  const wanted = Math.max(count, segments.length);
  const cold = segments.flatMap(([from, to]) => [...bytes.subarray(from, to)]);
  let low = Math.max(0, ...cold);
  let high = cold.reduce((sum, one) => sum + one, 0);
  let best = rangesWithin(bytes, segments, high);
  for (let step = 0; step < 40 && high - low > 1e-6 * high; step++) {
    const middle = step === 0 ? low : (low + high) / 2;
    const ranges = rangesWithin(bytes, segments, middle);
    if (ranges.length <= wanted) {
      best = ranges;
      high = middle;
    } else low = middle;
  }
  return best;
}

function segmentsBetween(hot: readonly number[]): readonly (readonly [number, number])[] {
  const edges = [-1, ...hot, HASH_BUCKETS];
  return edges
    .slice(1)
    .map((to, i) => [edges[i]! + 1, to] as const)
    .filter(([from, to]) => from < to);
}

function rangesWithin(
  bytes: Float64Array,
  segments: readonly (readonly [number, number])[],
  limit: number,
): readonly PlainRange[] {
  const ranges: PlainRange[] = [];
  for (const [start, end] of segments) {
    let from = start;
    let sum = 0;
    for (let b = start; b < end; b++) {
      if (b > from && sum + bytes[b]! > limit) {
        ranges.push({ from, to: b, bytes: sum });
        from = b;
        sum = 0;
      }
      sum += bytes[b]!;
    }
    ranges.push({ from, to: end, bytes: sum });
  }
  return ranges;
}
