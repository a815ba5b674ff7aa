/** Rows `from` (inclusive) to `to` (exclusive). */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** The ranges of granules of `granuleRows` rows each, the last one shorter, joined where they touch. */
export function rangesOfGranules(
  granules: readonly number[],
  granuleRows: number,
  rows: number,
): readonly RowRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const granule of granules) {
    const from = granule * granuleRows;
    const to = Math.min(rows, from + granuleRows);
    const last = ranges.at(-1);
    if (last !== undefined && last.to === from) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges;
}
