import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Tablet } from '@tessera/catalog';
import { quoteText } from '@tessera/kernel';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { tableOf, testTablets } from '../testing/test-tablets.ts';
import { type Chunk, chunksOf, damagedChunk, rangesOver } from './plan-ranges.ts';
import { readHeader } from './read-header.ts';

const tablets = await testTablets();
afterAll(() => tablets[Symbol.asyncDispose]());

const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const table = tableOf(
  names.map((name) => [name, 'VARCHAR']),
  ['a'],
);
const [written] = await tablets.write(
  table,
  `SELECT ${names.map((name) => `md5('${name}' || i) AS ${name}`).join(', ')} FROM range(30000) r(i)`,
  { maxBytes: 1e9 },
);
const { tablet, path } = written!;
const file = readFileSync(path);
const tail = file.subarray(tablet.headerOffset);

describe('ranges of a tablet', () => {
  it('contain two columns with at most a tenth of overhead, and the kernel can read a file of them alone', async () => {
    const header = await readHeader(tail, tablet);
    const ranges = rangesOver(chunksOf(header, [2, 5]));
    const fetched = ranges.reduce((sum, range) => sum + range.bytes, 0);
    const needed = ranges.flatMap(({ chunks }) => chunks).reduce((sum, chunk) => sum + chunk.bytes, 0);
    expect(needed).toBeLessThan(tablet.bytes / 2.5);
    expect(fetched).toBeLessThanOrEqual(needed * 1.1);
    const sparse = join(tablets.directory, 'sparse.parquet');
    fill(sparse, [...ranges, { offset: tablet.headerOffset, bytes: tail.length }]);
    const sums = (from: string) =>
      tablets.rows(`SELECT sum(hash(b, e)), count(*) FROM read_parquet(${quoteText(from)})`);
    expect(await sums(sparse)).toEqual(await sums(path));
  });

  it('contain only the needed granules', async () => {
    const header = await readHeader(tail, tablet);
    const chunks = rangesOver(chunksOf(header, [3], [2, 7])).flatMap((range) => range.chunks);
    expect(chunks.map(({ column, granule }) => [column, granule])).toEqual([
      [3, 2],
      [3, 7],
    ]);
    expect(rangesOver(chunksOf(header, [99]))).toEqual([]);
  });

  it('show which chunk is damaged', async () => {
    const header = await readHeader(tail, tablet);
    for (const range of rangesOver(chunksOf(header, [1, 2]))) {
      const bytes = Buffer.from(file.subarray(range.offset, range.offset + range.bytes));
      expect(damagedChunk(range, bytes)).toBeUndefined();
      const last = range.chunks.at(-1)!;
      expect(damagedChunk(range, bytes.subarray(0, -1))).toEqual(last);
      bytes[last.offset - range.offset + 10]! ^= 4;
      expect(damagedChunk(range, bytes)).toEqual(last);
    }
  });

  it('never waste more than allowed, and cover every chunk', () => {
    const layout = fc.array(
      fc.record({ gap: fc.nat({ max: 5000 }), bytes: fc.integer({ min: 1, max: 9000 }) }),
    );
    const limits = { gapBytes: 1000, waste: 0.1, rangeBytes: 20_000 };
    fc.assert(
      fc.property(layout, (pieces) => {
        let offset = 4;
        const chunks: Chunk[] = pieces.map(({ gap, bytes }) => {
          offset += gap + bytes;
          return { column: 1, granule: 0, offset: offset - bytes, bytes, crc32c: 0 };
        });
        const ranges = rangesOver(chunks, limits);
        expect(ranges.flatMap((range) => range.chunks)).toEqual(chunks);
        const needed = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
        const fetched = ranges.reduce((sum, range) => sum + range.bytes, 0);
        expect(fetched).toBeLessThanOrEqual(needed * 1.1);
        for (const range of ranges) {
          expect(range.chunks.length === 1 || range.bytes <= limits.rangeBytes).toBe(true);
          const last = range.chunks.at(-1)!;
          expect([range.offset, range.offset + range.bytes]).toEqual([
            range.chunks[0]!.offset,
            last.offset + last.bytes,
          ]);
        }
      }),
    );
  });
});

describe('the tail of a damaged object', () => {
  it.each([
    ['header', 20],
    ['footer', tail.length - 20],
  ])('is refused with the names of tablet and table: a byte of the %s', async (_, at) => {
    const bytes = Buffer.from(tail);
    bytes[at]! ^= 1;
    await expect(readHeader(bytes, tablet)).rejects.toMatchObject({
      name: 'CORRUPT_TABLET',
      message: expect.stringMatching(new RegExp(`${tablet.id}.*${tablet.tableId}.*checksum`)),
    });
  });

  it('is refused when it is short, or the catalog means another object', async () => {
    await expect(readHeader(tail.subarray(1), tablet)).rejects.toMatchObject({ name: 'CORRUPT_TABLET' });
    const others: Partial<Tablet>[] = [
      { rows: 1 },
      { footerOffset: tablet.footerOffset - 1 },
      { tailCrc32c: 0 },
    ];
    for (const other of others)
      await expect(readHeader(tail, { ...tablet, ...other })).rejects.toMatchObject({
        name: 'CORRUPT_TABLET',
      });
  });
});

function fill(target: string, ranges: readonly { offset: number; bytes: number }[]): void {
  const sparse = openSync(target, 'w');
  ftruncateSync(sparse, file.length);
  for (const { offset, bytes } of ranges) writeSync(sparse, file, offset, bytes, offset);
  closeSync(sparse);
}
