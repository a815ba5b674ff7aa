import type { Tablet } from '@tessera/catalog';
import type { HybridHeader } from '@tessera/tablet';
import { expect, test } from 'vitest';
import { granulesIn, rowsOf, storedBytes } from './scan-rows.ts';

const granuleRows = [100, 100, 50];
const sizes = [1000, 400, 90];
const header = {
  granuleRows,
  columns: [{ id: 1, granules: sizes.map((bytes, i) => ({ offset: i * 1000, bytes, crc32c: 0 })) }],
} as unknown as HybridHeader;
const tablet = { id: 't', rows: 250 } as unknown as Tablet;

test('the parts of a tablet that are split inside its granules add up to its bytes', () => {
  const parts = [[{ start: 0, end: 90 }], [{ start: 90, end: 230 }], [{ start: 230, end: 250 }]] as const;
  const bytes = parts.map((rows) => {
    const scan = { tablet, rows };
    return storedBytes(header, granulesIn(rowsOf(scan), granuleRows, undefined), scan).get(1);
  });
  expect(bytes).toEqual([900, 100 + 400 + 54, 36]);
});

test('granules that are not needed are not counted, and a scan without a range of rows reads whole granules', () => {
  expect(storedBytes(header, [1, 2], { tablet }).get(1)).toBe(490);
  expect(storedBytes(header, [1], { tablet, rows: [{ start: 150, end: 250 }] }).get(1)).toBe(200);
});
