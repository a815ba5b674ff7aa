import { COMPRESSION_LEVELS } from '@tessera/config';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedHeader } from './byte-reader.ts';
import { decodeHeader } from './decode-header.ts';
import { CHECKSUM_OFFSET, checksumOf, encodeHeader } from './encode-header.ts';
import type { HybridHeader, KeyValue } from './hybrid-header.ts';
import { COMPRESSION_METHODS, compress, decompress } from './index-compression.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 70 });
const size = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const keyValue: fc.Arbitrary<KeyValue> = fc.oneof(
  fc.constant<KeyValue>({ kind: 'null' }),
  fc.record({ kind: fc.constantFrom<'value' | 'prefix'>('value', 'prefix'), text }),
);

const header: fc.Arbitrary<HybridHeader> = fc
  .record({
    formatVersion: fc.constantFrom<1 | 2 | 3>(1, 2, 3),
    granuleRows: fc.array(fc.nat({ max: 1e6 }), { maxLength: 5 }),
    keyColumns: fc.array(size, { maxLength: 3 }),
    layout: fc.constantFrom('wide' as const, 'compact' as const, 'subcompact' as const),
  })
  .chain(({ formatVersion, granuleRows, keyColumns, layout }) => {
    const perGranule = <T>(item: fc.Arbitrary<T>) =>
      fc.array(item, { minLength: granuleRows.length, maxLength: granuleRows.length });
    const granule = fc.record({
      offset: size,
      bytes: size,
      crc32c: fc.nat({ max: 0xffff_ffff }),
      nulls: fc.option(size, { nil: undefined }),
      min: fc.option(text, { nil: undefined }),
      max: fc.option(text, { nil: undefined }),
    });
    const key = fc.array(keyValue, { minLength: keyColumns.length, maxLength: keyColumns.length });
    return fc.record({
      formatVersion: fc.constant(formatVersion),
      layout: fc.constant(formatVersion < 3 ? ('wide' as const) : layout),
      tableId: text,
      schemaVersion: size,
      rows: fc.constant(granuleRows.reduce((sum, n) => sum + n, 0)),
      granuleRows: fc.constant(granuleRows),
      partition: fc.array(fc.option(text), { maxLength: 3 }),
      columns: fc.array(
        fc.record({ id: size, storedName: text, type: text, granules: perGranule(granule) }),
        { maxLength: 4 },
      ),
      primaryIndex: fc.record({
        columns: fc.constant(keyColumns),
        keys: keyColumns.length === 0 ? fc.constant([]) : perGranule(key),
      }),
    });
  });

const SAMPLE: HybridHeader = {
  formatVersion: 3,
  layout: 'wide',
  tableId: '01M7YBCG9YKZSCTR9AVY9EP7KF',
  schemaVersion: 3,
  rows: 5,
  granuleRows: [3, 2],
  partition: ['2024-01-01', null],
  columns: [
    {
      id: 1,
      storedName: 'key',
      type: 'BIGINT',
      granules: [
        { offset: 4, bytes: 100, crc32c: 0xdead_beef, nulls: 0, min: '1', max: '3' },
        { offset: 104, bytes: 90, crc32c: 1, nulls: 0, min: '4', max: '5' },
      ],
    },
  ],
  primaryIndex: {
    columns: [1],
    keys: [[{ kind: 'value', text: '1' }], [{ kind: 'prefix', text: '4' }]],
  },
};

describe('Hybrid Header', () => {
  it('reads what it wrote, with every method', async () => {
    await fc.assert(
      fc.asyncProperty(header, fc.constantFrom(...COMPRESSION_METHODS), async (value, method) => {
        const used = value.formatVersion === 1 ? 'none' : method;
        const bytes = await encodeHeader(value, { method: used, level: COMPRESSION_LEVELS[used][0] });
        expect(await decodeHeader(bytes)).toEqual(value);
      }),
      { numRuns: 200 },
    );
  });

  it.each(
    COMPRESSION_METHODS.flatMap((method) => {
      const [low, high] = COMPRESSION_LEVELS[method];
      return Array.from({ length: high - low + 1 }, (_, i) => [method, low + i] as const);
    }),
  )('compresses by %s at level %i', async (method, level) => {
    const keys = Array.from({ length: 300 }, (_, i) => [{ kind: 'value' as const, text: `key ${i}` }]);
    const granules = keys.map(() => ({ offset: 4, bytes: 1, crc32c: 0 }));
    const granuleRows = keys.map(() => 1);
    const value = {
      ...{ ...SAMPLE, rows: 300, granuleRows, columns: [{ ...SAMPLE.columns[0]!, granules }] },
      primaryIndex: { columns: [1], keys },
    };
    const bytes = await encodeHeader(value, { method, level });
    expect(await decodeHeader(bytes)).toEqual(value);
    const plain = await encodeHeader(value, { method: 'none', level: 0 });
    if (method !== 'none' && level > 0) expect(bytes.length).toBeLessThan(plain.length - 500);
  });

  it('refuses every header with a byte changed, cut or added', async () => {
    const bytes = await encodeHeader(SAMPLE, { method: 'zstd', level: 3 });
    const inputs: Buffer[] = [Buffer.concat([bytes, Buffer.of(0)])];
    for (let i = 0; i < bytes.length; i++) {
      inputs.push(bytes.subarray(0, i));
      for (const flip of [1, 128, 255]) {
        const damaged = Buffer.from(bytes);
        damaged[i]! ^= flip;
        inputs.push(damaged);
      }
    }
    for (const input of inputs) await expect(decodeHeader(input)).rejects.toBeInstanceOf(MalformedHeader);
  });

  it.each(COMPRESSION_METHODS)('has no other failure if the checksum matches (%s)', async (method) => {
    const bytes = await encodeHeader(SAMPLE, { method, level: COMPRESSION_LEVELS[method][1] });
    const change = fc.record({ at: fc.nat({ max: bytes.length - 1 }), to: fc.nat({ max: 255 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const damaged = Buffer.from(bytes);
        for (const { at, to } of changes) damaged[at] = to;
        damaged.writeUInt32LE(checksumOf(damaged), CHECKSUM_OFFSET);
        try {
          await decodeHeader(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedHeader);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each(COMPRESSION_METHODS)('decompresses at most the bytes that an index has (%s)', async (method) => {
    const packed = await compress(Buffer.alloc(50_000_000), method, COMPRESSION_LEVELS[method][0]);
    await expect(decompress(packed, method, 1000)).rejects.toBeInstanceOf(MalformedHeader);
  });
});
