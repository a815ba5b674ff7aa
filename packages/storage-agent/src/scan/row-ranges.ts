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

export const shifted = (ranges: readonly RowRange[], by: number): RowRange[] =>
  ranges.map(({ from, to }) => ({ from: from + by, to: to + by }));

export const rowsIn = (ranges: readonly RowRange[]): number =>
  ranges.reduce((sum, { from, to }) => sum + to - from, 0);
