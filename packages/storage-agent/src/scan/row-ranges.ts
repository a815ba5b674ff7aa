/**
 * Rows `from` (inclusive) to `to` (exclusive). Lists of ranges are ascending, and their ranges do not touch.
 */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** Joins touching ranges; `ranges` must be ascending and must not overlap. */
export function joined(ranges: Iterable<RowRange>): RowRange[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of ranges) {
    const last = result.at(-1);
    if (last !== undefined && last.to === from) last.to = to;
    else result.push({ from, to });
  }
  return result;
}

/** The rows that are in `ranges` but not in `without`. */
export function difference(ranges: readonly RowRange[], without: readonly RowRange[]): RowRange[] {
  const result: RowRange[] = [];
  let i = 0;
  for (const { from, to } of ranges) {
    let start = from;
    while (i < without.length && without[i]!.to <= start) i++;
    for (let j = i; j < without.length && without[j]!.from < to; j++) {
      if (without[j]!.from > start) result.push({ from: start, to: without[j]!.from });
      start = Math.max(start, without[j]!.to);
    }
    if (start < to) result.push({ from: start, to });
  }
  return result;
}

/** The rows of the ranges that are in the window. Takes time proportional to the number of ranges returned. */
export function within(ranges: readonly RowRange[], { from, to }: RowRange): readonly RowRange[] {
  if (ranges.length === 0 || (ranges[0]!.from >= from && ranges.at(-1)!.to <= to)) return ranges;
  const start = firstWhere(ranges, (range) => range.to > from);
  const end = firstWhere(ranges, (range) => range.from >= to);
  return ranges
    .slice(start, Math.max(start, end))
    .map((range) => ({ from: Math.max(range.from, from), to: Math.min(range.to, to) }));
}

/** The index of the first range that satisfies the condition, which all ranges after it satisfy too. */
function firstWhere(ranges: readonly RowRange[], condition: (range: RowRange) => boolean): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (condition(ranges[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export const shifted = (ranges: readonly RowRange[], by: number): RowRange[] =>
  ranges.map(({ from, to }) => ({ from: from + by, to: to + by }));

export const rowsIn = (ranges: readonly RowRange[]): number =>
  ranges.reduce((sum, { from, to }) => sum + to - from, 0);
