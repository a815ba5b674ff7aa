import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joined, type RowRange, within } from './row-ranges.ts';

const positions = (ranges: readonly RowRange[]): number[] =>
  ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));

test('the rows of ranges in a window are those of the ranges that are not outside of it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 60 })),
      fc.nat({ max: 70 }),
      fc.integer({ min: 1, max: 30 }),
      (rows, from, length) => {
        const sorted = [...new Set(rows)].sort((a, b) => a - b);
        const ranges = joined(sorted.map((row) => ({ from: row, to: row + 1 })));
        const window = { from, to: from + length };
        const found = within(ranges, window);
        expect(positions(found)).toEqual(sorted.filter((row) => row >= from && row < from + length));
        expect(found.every((range) => range.from < range.to)).toBe(true);
      },
    ),
  );
});
