import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RowGroup } from '../body/parquet-footer.ts';
import { divideBody } from './divide-body.ts';

const groupOf = (bytes: number): RowGroup => ({
  rows: 1,
  chunks: [{ path: ['c'], offset: 4, bytes, uncompressedBytes: bytes, values: 1 }],
});

it('a body is divided into runs of nearly equal size, none above the maximum', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 60, max: 300 }), (groups, maxBytes) => {
      const divisions = divideBody(groups.map(groupOf), 1, maxBytes);
      expect(divisions.flatMap(({ from, to }) => groups.slice(from, to))).toEqual(groups);
      const runs = divisions.map(({ from, to }) =>
        groups.slice(from, to).reduce((sum, size) => sum + size, 0),
      );
      const total = runs.reduce((sum, size) => sum + size, 0);
      expect(divisions.length).toBeLessThanOrEqual(Math.ceil(total / (maxBytes - 10)));
      for (const run of runs) {
        expect(run).toBeLessThanOrEqual(maxBytes + 1);
        expect(run).toBeGreaterThanOrEqual(total / runs.length - 20);
      }
    }),
  );
});

it('no run is below the minimum, even if one is above the maximum then', () => {
  const groups = Array.from({ length: 30 }, () => groupOf(10));
  expect(divideBody(groups, 200, 256)).toEqual([{ from: 0, to: 30 }]);
  expect(divideBody(groups, 100, 256)).toEqual([
    { from: 0, to: 15 },
    { from: 15, to: 30 },
  ]);
  expect(divideBody(groups, 1000, 2000)).toEqual([{ from: 0, to: 30 }]);
  expect(divideBody([], 1, 2)).toEqual([]);
});
