import { quoteText } from '@tessera/kernel';
import type { RowRange } from './row-ranges.ts';

/** The maximum number of ranges that are written into the SQL one by one. */
const MAX_RANGES = 8;
/** The maximum number of bitmaps in the SQL; each is tested for every row. */
const MAX_BITMAPS = 8;
const FIRST_GAP = 8_192;

/**
 * The condition that the row at position `row` (an expression, BIGINT) is in none of the ranges; undefined
 * without ranges. Many ranges become bitmaps in the text of the SQL. Measured on a million rows of which
 * 100,000 are deleted, a bitmap costs 7 ms, an anti join 10 ms and a table, and NOT IN of a list 26 s.
 * @param ranges ascending, not touching
 */
export function notDeleted(row: string, ranges: readonly RowRange[]): string | undefined {
  if (ranges.length === 0) return undefined;
  if (ranges.length <= MAX_RANGES) {
    return `NOT (${ranges.map(({ from, to }) => `${row} BETWEEN ${from} AND ${to - 1}`).join(' OR ')})`;
  }
  const branches = clusters(ranges).map(
    (cluster) =>
      `WHEN ${row} BETWEEN ${cluster[0]!.from} AND ${cluster.at(-1)!.to - 1} THEN ${isClear(row, cluster)}`,
  );
  return `CASE ${branches.join(' ')} ELSE true END`;
}

/** Groups ranges that are close to each other into at most `MAX_BITMAPS` groups. */
function clusters(ranges: readonly RowRange[]): RowRange[][] {
  for (let gap = FIRST_GAP; ; gap *= 8) {
    const groups: RowRange[][] = [];
    for (const range of ranges) {
      const group = groups.at(-1);
      if (group !== undefined && range.from - group.at(-1)!.to <= gap) group.push(range);
      else groups.push([range]);
    }
    if (groups.length <= MAX_BITMAPS) return groups;
  }
}

function isClear(row: string, ranges: readonly RowRange[]): string {
  const first = ranges[0]!.from;
  const bits = Buffer.alloc(Math.ceil((ranges.at(-1)!.to - first) / 8));
  for (const { from, to } of ranges) {
    for (let position = from - first; position < to - first; position++) {
      bits[position >> 3]! |= 0x80 >> (position & 7);
    }
  }
  const bitmap = `CAST(from_hex(${quoteText(bits.toString('hex'))}) AS BIT)`;
  return `get_bit(${bitmap}, CAST(${row} - ${first} AS INTEGER)) = 0`;
}
