import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import { describe, expect, it } from 'vitest';
import { FooterDocument } from '../body/parquet-footer.ts';
import { decodeHeader } from './decode-header.ts';
import { encodeHeader } from './encode-header.ts';
import type { CompressionMethod } from './index-compression.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, '../../docs/tablet-format.md'), 'utf8');

/** The header, found as the format page describes: between the last column chunk and the footer. */
function headerBytes(file: Buffer): Buffer {
  const footerOffset = file.length - 8 - file.readUInt32LE(file.length - 8);
  const { rowGroups } = FooterDocument.decode(file.subarray(footerOffset, -8)).read();
  const ends = rowGroups.flatMap(({ chunks }) => chunks.map(({ offset, bytes }) => offset + bytes));
  return file.subarray(Math.max(...ends), footerOffset);
}

describe.each([
  [1, 'wide', 'none', 0],
  [2, 'wide', 'brotli', 2],
  [3, 'subcompact', 'zstd', 3],
] as const)('the tablet of format %i that was written once', (formatVersion, layout, method, level) => {
  const file = readFileSync(join(root, `test-files/format-${formatVersion}.parquet`));
  const bytes = headerBytes(file);

  it('is still read', async () => {
    const header = await decodeHeader(bytes);
    expect(header).toMatchObject({
      ...{ formatVersion, layout, tableId: '01M7YBCG9YKZSCTR9AVY9EP7KF', schemaVersion: 2, rows: 5000 },
      granuleRows: [2048, 2048, 904],
      partition: formatVersion === 1 ? [] : ['all'],
      primaryIndex: {
        columns: [1, 2],
        keys: [
          [
            { kind: 'value', text: '0' },
            { kind: 'prefix', text: 'a'.repeat(64) },
          ],
          ['4', 'n0'].map((text) => ({ kind: 'value', text })),
          ['8', 'n1'].map((text) => ({ kind: 'value', text })),
        ],
      },
    });
    const [id, name] = header.columns;
    expect([id!.type, name!.type]).toEqual(['BIGINT', 'VARCHAR']);
    expect(id!.granules.map(({ min, max, nulls }) => [min, max, nulls])).toEqual([
      ['0', '4', 0],
      ['4', '8', 0],
      ['8', '9', 0],
    ]);
    expect(name!.granules[0]).toMatchObject({ min: 'a'.repeat(64), max: `${'é'.repeat(31)}ê` });
    expect(name!.granules[2]!.nulls).toBe(1);
    for (const { offset, bytes: length, crc32c: sum } of header.columns.flatMap((column) => column.granules))
      expect(crc32c(file.subarray(offset, offset + length))).toBe(sum);
  });

  it('would be written identically today', async () => {
    const written = await encodeHeader(await decodeHeader(bytes), {
      method: method as CompressionMethod,
      level,
    });
    expect(written.equals(bytes)).toBe(true);
  });
});

it('the example of the documentation is the header of format 1', () => {
  const block = /```hexdump\n([^`]*)```/.exec(page)![1]!;
  const hex = block
    .split('\n')
    .map((line) => line.slice(5))
    .join(' ')
    .trim();
  const file = readFileSync(join(root, 'test-files/format-1.parquet'));
  expect(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex').equals(headerBytes(file))).toBe(true);
  expect(page).toContain(`at byte ${file.indexOf('TSHH')} of ${file.length.toLocaleString('en-US')}`);
});

it('the parts of the example stand where the documentation says', () => {
  const bytes = headerBytes(readFileSync(join(root, 'test-files/format-1.parquet')));
  const rows = [...page.matchAll(/^\| ([0-9a-f]{4}) \| `([0-9a-f ]+?)(?: …)?` \|/gm)];
  expect(rows.length).toBeGreaterThan(8);
  for (const [, at, hex] of rows) {
    const part = Buffer.from(hex!.replaceAll(' ', ''), 'hex');
    const start = Number.parseInt(at!, 16);
    expect([at, bytes.subarray(start, start + part.length).toString('hex')]).toEqual([
      at,
      part.toString('hex'),
    ]);
  }
});
