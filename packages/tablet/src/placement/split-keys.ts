import { type OrderedValue, orderOf } from '../values/order.ts';
import { commonBeginning, type KeySpace, keySpaceOf } from './key-space.ts';

/** A granule or tablet with its smallest and largest key; NULLs are not included. */
export interface KeyedRows {
  readonly min: string;
  readonly max: string;
  readonly rows: number;
}

/**
 * A range of keys that is read in one place: from `from` (absent: from the first key, including NULLs) to the
 * `from` of the next range.
 */
export interface SplitRange {
  readonly from?: string | undefined;
  /** The approximate number of rows. */
  readonly rows: number;
  /** Adjacent ranges of the same group should be placed on the same node. */
  readonly group: string;
}

/**
 * Up to this many nodes, a range has at most about `1 / RANGES` of all rows, unless a single key has more.
 */
const NODES = 8;
const RANGES = 32;
/** The number of halvings within a group of ranges. */
const GROUP_LEVELS = 2;

/**
 * Splits the keys of a table into ranges with a similar number of rows. The key space is halved, and halves
 * with many rows are halved again, so a split point is a round number that depends on the type alone. Further
 * rows, or another table, therefore seldom move a split point, and a table that grows at its end only gets
 * additional ranges there.
 *     keys 1 to 6,000,000, evenly:  [.. 65536) [65536 .. 131072) [131072 .. 196608) …
 * @param nodes the number of reading nodes: more nodes need finer ranges
 * @returns the ranges in ascending order; a single range if the type's keys cannot be split or there is only
 * one key
 */
export function splitKeys(
  type: string,
  parts: readonly KeyedRows[],
  nodes: number,
): readonly [SplitRange, ...SplitRange[]] {
  const total = parts.reduce((sum, { rows }) => sum + rows, 0);
  const whole: [SplitRange] = [{ rows: total, group: '' }];
  const space = keySpaceOf(type, commonOf(type, parts));
  if (space === undefined) return whole;
  const placed = parts.flatMap(({ min, max, rows }) => {
    const [low, high] = [space.position(min), space.position(max)];
    return low === undefined || high === undefined || high < low ? [] : [{ low, high, rows }];
  });
  if (placed.length === 0) return whole;
  let { low, high } = placed[0]!;
  for (const part of placed) {
    if (part.low < low) low = part.low;
    if (part.high > high) high = part.high;
  }
  const root = dyadicAround(low, high);
  // The size grows in steps, so that a table that grows a little keeps its ranges.
  const most = UNLIKE_POWERS * 2 ** Math.floor(Math.log2(Math.max(1, total / rangesFor(nodes))));
  const scale = Number(1n << BigInt(root.bits));
  const segments = placed.map((part) => ({
    low: Number(part.low - root.low) / scale,
    high: Number(part.high - root.low + 1n) / scale,
    rows: part.rows,
  }));
  return named(type, space, root, halved({ low: 0, size: 1, depth: 0 }, segments, root.bits, most));
}

/**
 * A factor that is not a power of two: halves of a dense key space have powers of two of rows, and a single
 * further row must not divide all of them.
 */
const UNLIKE_POWERS = 1.4;

/**
 * The number of ranges grows in large steps, so that a node that joins or leaves seldom changes the ranges.
 */
const rangesFor = (nodes: number): number =>
  RANGES * NODES ** Math.max(0, Math.ceil(Math.log(nodes / NODES) / Math.log(NODES)));

/** The common prefix of the texts; '' for other types. */
function commonOf(type: string, parts: readonly KeyedRows[]): string {
  const { compare } = orderOf(type)!;
  if (keySpaceOf(type)?.position('a') === undefined) return '';
  const [first] = parts;
  let [least, most] = [first?.min ?? '', first?.max ?? ''];
  for (const { min, max } of parts) {
    if (compare(min, least) < 0) least = min;
    if (compare(max, most) > 0) most = max;
  }
  return commonBeginning(least, most);
}

interface Dyadic {
  readonly low: bigint;
  /** The exponent of the interval's size, which is a power of two. */
  readonly bits: number;
}

/**
 * The smallest interval from k · 2^bits that contains both keys; it is twice as large if a multiple of every
 * such size lies between them.
 */
function dyadicAround(low: bigint, high: bigint): Dyadic {
  let bits = 0;
  while ((high >> BigInt(bits)) - (low >> BigInt(bits)) > 1n) bits++;
  const start = (low >> BigInt(bits)) << BigInt(bits);
  const isOne = high >> BigInt(bits) === low >> BigInt(bits);
  return { low: start, bits: isOne ? bits : bits + 1 };
}

interface Segment {
  readonly low: number;
  /** Exclusive. */
  readonly high: number;
  readonly rows: number;
}

/** A part of the root interval, which is from 0 to 1. */
interface Interval {
  readonly low: number;
  readonly size: number;
  readonly depth: number;
}

interface Leaf extends Interval {
  readonly rows: number;
}

/** Numbers from 0 to 1 are exact for this many halvings. */
const DEEPEST = 52;

function halved(
  interval: Interval,
  segments: readonly Segment[],
  bits: number,
  most: number,
): readonly Leaf[] {
  const { low, size, depth } = interval;
  const inside = segments.filter((segment) => segment.low < low + size && segment.high > low);
  const rows = inside.reduce((sum, segment) => sum + rowsWithin(segment, low, low + size), 0);
  if (rows <= most || depth === Math.min(bits, DEEPEST)) return [{ ...interval, rows }];
  const half = { size: size / 2, depth: depth + 1 };
  return [
    ...halved({ low, ...half }, inside, bits, most),
    ...halved({ low: low + size / 2, ...half }, inside, bits, most),
  ];
}

const rowsWithin = (segment: Segment, low: number, high: number): number =>
  (segment.rows * (Math.min(high, segment.high) - Math.max(low, segment.low))) / (segment.high - segment.low);

function named(
  type: string,
  space: KeySpace,
  root: Dyadic,
  leaves: readonly Leaf[],
): readonly [SplitRange, ...SplitRange[]] {
  const at = (low: number) =>
    root.low + ((BigInt(low * 2 ** DEEPEST) << BigInt(root.bits)) >> BigInt(DEEPEST));
  const order = orderOf(type)!;
  const ranges: SplitRange[] = [];
  let last: OrderedValue | undefined;
  for (const { low, size, rows } of leaves) {
    const step = Math.min(1, size * 2 ** GROUP_LEVELS);
    const group = String(at(Math.floor(low / step) * step));
    const from = space.textAt(at(low));
    const start = order.parse(from);
    const follows = start !== undefined && (last === undefined || order.compare(start, last) > 0);
    // Halves without rows, and those that no value separates, are merged into the previous range.
    if (ranges.length > 0 && (rows === 0 || !follows)) {
      const before = ranges.pop()!;
      ranges.push({ ...before, rows: before.rows + rows });
      continue;
    }
    if (ranges.length > 0) last = start;
    ranges.push({ ...(ranges.length > 0 && { from }), rows, group });
  }
  return ranges as [SplitRange, ...SplitRange[]];
}
