import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as arrow from 'apache-arrow';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toArrowSchema, toRecordBatch } from '../arrow-batches.ts';
import { type ColumnField, DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import { decodeArrow } from './decode-arrow.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-arrow-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

interface Decoded {
  readonly fields: readonly ColumnField[];
  readonly rows: readonly unknown[];
  readonly batches: readonly number[];
}

async function readPath(path: string): Promise<Decoded> {
  const { fields, batches } = await decodeArrow(path);
  const schema = toArrowSchema(fields);
  const rows: unknown[] = [];
  const sizes: number[] = [];
  for await (const batch of batches) {
    sizes.push(batch.rows);
    for (const row of toRecordBatch(schema, batch)) rows.push(JSON.parse(JSON.stringify(row, plain)));
  }
  return { fields, rows, batches: sizes };
}

function read(bytes: Uint8Array): Promise<Decoded> {
  const path = join(directory, 'file.arrow');
  writeFileSync(path, bytes);
  return readPath(path);
}

const plain = (_: string, value: unknown) =>
  typeof value === 'bigint'
    ? `${value}n`
    : value instanceof Uint8Array
      ? Buffer.from(value).toString('hex')
      : value;

const foreign = (name: string) => fileURLToPath(new URL(`../../test-files/${name}`, import.meta.url));
const FOREIGN = ['polars-lz4.arrow', 'polars-zstd.arrow', 'polars-stream.arrows'];

const tableOf = (...columns: [string, arrow.DataType, unknown[]][]) =>
  new arrow.Table(
    Object.fromEntries(columns.map(([name, type, values]) => [name, arrow.vectorFromArray(values, type)])),
  );
const ipc = (table: arrow.Table, format: 'file' | 'stream' = 'stream') => arrow.tableToIPC(table, format);
const item = (type: arrow.DataType) => new arrow.Field('item', type, true);

describe('values', () => {
  it.each(FOREIGN)('reads files that polars wrote: %s', async (name) => {
    const { fields, rows } = await readPath(foreign(name));
    expect(fields.map((field) => `${field.name} ${field.type.kind}`)).toEqual([
      'i int64',
      'f float64',
      's text',
      'b boolean',
      'l list',
      'd timestamp',
      'c text',
      'st struct',
      'u8 uint8',
      'dt date',
    ]);
    expect(rows).toEqual([
      {
        i: '1n',
        f: 1.5,
        s: 'short',
        b: true,
        l: [1, 2],
        d: 1709164800000,
        c: 'red',
        st: { x: 1, y: 'a' },
        u8: 1,
        dt: 0,
      },
      {
        i: '-2n',
        f: null,
        s: null,
        b: false,
        l: [],
        d: null,
        c: 'blue',
        st: { x: 2, y: 'b' },
        u8: 2,
        dt: 86400000,
      },
      {
        i: null,
        f: -0.25,
        s: 'a text longer than twelve bytes ü',
        b: null,
        l: null,
        d: -86400000,
        c: null,
        st: { x: null, y: null },
        u8: 255,
        dt: -86400000,
      },
      {
        i: '4n',
        f: null,
        s: '',
        b: true,
        l: [3],
        d: 946730096789,
        c: 'red',
        st: { x: 4, y: 'd' },
        u8: null,
        dt: null,
      },
    ]);
  });

  it.each<[string, arrow.DataType, unknown[], unknown[], string]>([
    ['int8', new arrow.Int8(), [-128, null], [-128, null], 'int8'],
    ['uint64', new arrow.Uint64(), [2n ** 64n - 1n], ['18446744073709551615n'], 'uint64'],
    ['float16', new arrow.Float16(), [1.5, -0.25, null], [1.5, -0.25, null], 'float32'],
    ['date in milliseconds', new arrow.DateMillisecond(), [new Date(-1)], [-86400000], 'date'],
    ['time in seconds', new arrow.TimeSecond(), [86399, null], ['86399000000n', null], 'time'],
    ['time in nanoseconds', new arrow.TimeNanosecond(), [1999n], ['1n'], 'time'],
    ['timestamp in seconds', new arrow.TimestampSecond(), [new Date(5000)], [5000], 'timestamp'],
    [
      'timestamp in nanoseconds with a zone',
      new arrow.TimestampNanosecond('Europe/Berlin'),
      [new Date(5)],
      [5],
      'timestamptz',
    ],
    [
      'fixed-size binary',
      new arrow.FixedSizeBinary(2),
      [Buffer.from('ab'), null, Buffer.from('cd')],
      ['6162', null, '6364'],
      'binary',
    ],
    ['large text', new arrow.LargeUtf8(), ['a', null, 'ü'], ['a', null, 'ü'], 'text'],
    ['null', new arrow.Null(), [null, null], [null, null], 'text'],
    [
      'fixed-size list',
      new arrow.FixedSizeList(2, item(new arrow.Int32())),
      [[1, 2], null, [3, 4]],
      [[1, 2], null, [3, 4]],
      'list',
    ],
    [
      'list of lists',
      new arrow.List(item(new arrow.List(item(new arrow.Bool())))),
      [[[true], []], null],
      [[[true], []], null],
      'list',
    ],
    [
      'map',
      new arrow.Map_(
        new arrow.Field(
          'entries',
          new arrow.Struct([
            new arrow.Field('k', new arrow.Utf8()),
            new arrow.Field('v', new arrow.Int32(), true),
          ]),
        ) as never,
      ),
      [new Map([['a', 1]])],
      [[{ key: 'a', value: 1 }]],
      'list',
    ],
  ])('%s', async (_, type, values, expected, kind) => {
    for (const format of ['stream', 'file'] as const) {
      const { fields, rows } = await read(ipc(tableOf(['v', type, values]), format));
      expect(fields[0]?.type.kind).toBe(kind);
      expect(rows).toEqual(expected.map((v) => ({ v })));
    }
  });

  it('decodes dictionaries, even if they grow between batches', async () => {
    const type = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8(), 7);
    const builder = arrow.makeBuilder({ type, nullValues: [null] });
    const writer = new arrow.RecordBatchStreamWriter();
    for (const values of [
      ['a', 'b', null],
      ['c', 'a', 'd'],
    ]) {
      for (const value of values) builder.append(value);
      const data = builder.flush();
      writer.write(new arrow.RecordBatch({ v: data as arrow.Data }));
    }
    const { rows } = await read(writer.finish().toUint8Array(true));
    expect(rows.map((row) => (row as { v: unknown }).v)).toEqual(['a', 'b', null, 'c', 'a', 'd']);
  });

  it('cuts one large record batch, validity and offsets included', async () => {
    const count = 150_001;
    const texts = Array.from({ length: count }, (_, i) => (i % 7 === 0 ? null : `text ${i}`));
    const lists = Array.from({ length: count }, (_, i) => (i % 5 === 0 ? null : [i, null]));
    const { rows, batches } = await read(
      ipc(tableOf(['t', new arrow.Utf8(), texts], ['l', new arrow.List(item(new arrow.Int32())), lists])),
    );
    expect(batches.length).toBeGreaterThan(2);
    expect(rows).toEqual(texts.map((t, i) => ({ t, l: lists[i] })));
  });

  it('reads batches in which rows differ much in size with bounded memory', async () => {
    const { rows, batches } = await read(
      ipc(
        tableOf(['t', new arrow.Utf8(), ['x'.repeat(20_000_000), ...Array.from({ length: 30 }, () => 'y')]]),
      ),
    );
    expect(rows).toHaveLength(31);
    expect(batches.length).toBeGreaterThan(1);
  });
});

describe('bad files', () => {
  const small = () => ipc(tableOf(['t', new arrow.Utf8(), ['abc', 'def']]), 'file');
  const stream = () => ipc(tableOf(['t', new arrow.Utf8(), ['abc', 'def']]));
  const change = (bytes: Uint8Array, from: string, to: Buffer) => {
    const copy = Buffer.from(bytes);
    copy.set(to, copy.indexOf(from));
    return copy;
  };

  it.each<[string, () => Uint8Array, RegExp]>([
    ['empty file', () => Buffer.alloc(0), /should follow/],
    ['something else', () => Buffer.from('PAR1 is not Arrow'), /does not begin/],
    ['truncated file', () => small().subarray(0, -20), /does not end with "ARROW1"/],
    ['truncated stream', () => stream().subarray(0, -20), /the file ends at byte/],
    ['bytes after the end', () => Buffer.concat([stream(), stream()]), /bytes follow the end/],
    [
      'text that is not UTF-8',
      () => change(stream(), 'abcdef', Buffer.from([0xff])),
      /message at byte \d+: .*UTF-8/,
    ],
    [
      'damaged metadata',
      () => Buffer.concat([stream().subarray(0, 8), Buffer.alloc(stream().length, 0xee)]),
      /neither a schema/,
    ],
  ])('%s', async (_, bytes, message) => {
    const error = await read(bytes()).catch((caught) => caught);
    expect(error).toBeInstanceOf(DecodeError);
    expect(error.message).toMatch(message);
  });

  it('names columns whose types it cannot store', async () => {
    const union = new arrow.DenseUnion([0], [new arrow.Field('x', new arrow.Int32())] as never);
    const schema = new arrow.Schema([new arrow.Field('u', union as never)]);
    const writer = new arrow.RecordBatchStreamWriter();
    writer.reset(undefined, schema);
    const error = await read(writer.finish().toUint8Array(true)).catch((caught) => caught);
    expect(error).toBeInstanceOf(UnsupportedError);
    expect(error.message).toMatch(/Union.* of column "u"/);
  });

  it.each(FOREIGN)('reads %s with any damage as rows, or reports one of its own errors', async (name) => {
    const good = readFileSync(foreign(name));
    const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(damage, fc.option(fc.nat(good.length)), async (changes, cut) => {
        const bytes = Buffer.from(good.subarray(0, cut ?? good.length));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        const path = join(directory, 'damaged.arrow');
        writeFileSync(path, bytes);
        try {
          for await (const batch of (await decodeArrow(path)).batches)
            expect(batch.rows).toBeLessThanOrEqual(65_536);
        } catch (error) {
          if (!(error instanceof DecodeError || error instanceof UnsupportedError)) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });
});
