import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, zstdCompressSync } from 'node:zlib';
import avsc from 'avsc';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toArrowSchema, toRecordBatch } from '../arrow-batches.ts';
import { type ColumnField, DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import { decodeAvro } from './decode-avro.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-avro-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const SYNC = randomBytes(16);

function long(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

const sized = (bytes: Buffer) => Buffer.concat([long(bytes.length), bytes]);
const header = (schema: unknown, codec = 'null') =>
  Buffer.concat([
    Buffer.from('Obj\x01'),
    long(2),
    sized(Buffer.from('avro.schema')),
    sized(Buffer.from(typeof schema === 'string' ? schema : JSON.stringify(schema))),
    sized(Buffer.from('avro.codec')),
    sized(Buffer.from(codec)),
    long(0),
    SYNC,
  ]);
const block = (rows: number, data: Buffer) => Buffer.concat([long(rows), sized(data), SYNC]);

/** A file with one block, whose rows avsc has encoded. */
function file(schema: avsc.Schema, values: unknown[]): Buffer {
  const type = avsc.Type.forSchema(schema, { wrapUnions: 'never' } as never);
  return Buffer.concat([
    header(schema),
    block(values.length, Buffer.concat(values.map((value) => type.toBuffer(value)))),
  ]);
}

async function read(bytes: Buffer): Promise<{ fields: readonly ColumnField[]; rows: unknown[] }> {
  const path = join(directory, 'file.avro');
  writeFileSync(path, bytes);
  const { fields, batches } = await decodeAvro(path);
  const schema = toArrowSchema(fields);
  const rows: unknown[] = [];
  for await (const batch of batches) {
    for (const row of toRecordBatch(schema, batch)) rows.push(JSON.parse(JSON.stringify(row, plain)));
  }
  return { fields, rows };
}

const plain = (_: string, value: unknown) =>
  typeof value === 'bigint'
    ? `${value}n`
    : value instanceof Uint8Array
      ? Buffer.from(value).toString('hex')
      : value;

const record = (...fields: { name: string; type: unknown }[]) =>
  ({ type: 'record', name: 'R', fields }) as unknown as avsc.Schema;
const annotated = (type: unknown, logicalType: string, more = {}) =>
  ({ ...(typeof type === 'object' ? type : { type }), logicalType, ...more }) as unknown;
const fixed = (size: number) => ({ type: 'fixed', name: `F${size}`, size });

describe('values', () => {
  it.each<[string, unknown, Buffer, unknown, string]>([
    [
      'decimal of bytes',
      annotated('bytes', 'decimal', { precision: 5, scale: 2 }),
      sized(Buffer.from('ff85', 'hex')),
      '"-123"',
      'decimal',
    ],
    [
      'decimal of fixed',
      annotated(fixed(4), 'decimal', { precision: 9 }),
      Buffer.from('00000007', 'hex'),
      '"7"',
      'decimal',
    ],
    [
      'decimal too wide for a number',
      annotated('bytes', 'decimal', { precision: 40, scale: 3 }),
      sized(Buffer.from('fb2e', 'hex')),
      '-1.234',
      'text',
    ],
    [
      'decimal without a precision',
      annotated('bytes', 'decimal'),
      sized(Buffer.from('01', 'hex')),
      '01',
      'binary',
    ],
    [
      'uuid of fixed',
      annotated(fixed(16), 'uuid'),
      Buffer.from('00112233445566778899aabbccddeeff', 'hex'),
      '00112233-4455-6677-8899-aabbccddeeff',
      'text',
    ],
    ['date', annotated('int', 'date'), long(-1), -86_400_000, 'date'],
    ['date of a long is not one', annotated('long', 'date'), long(1), '1n', 'int64'],
    ['time-millis', annotated('int', 'time-millis'), long(86_399_999), '86399999000n', 'time'],
    ['time-micros', annotated('long', 'time-micros'), long(1), '1n', 'time'],
    ['timestamp-millis', annotated('long', 'timestamp-millis'), long(-1), -1, 'timestamptz'],
    ['timestamp-micros', annotated('long', 'timestamp-micros'), long(1_000_000), 1000, 'timestamptz'],
    ['timestamp-nanos', annotated('long', 'timestamp-nanos'), long(-1), -0.001, 'timestamptz'],
    ['local-timestamp-nanos', annotated('long', 'local-timestamp-nanos'), long(2_000_000), 2, 'timestamp'],
    ['enum', { type: 'enum', name: 'E', symbols: ['A', 'B'] }, long(1), 'B', 'text'],
    [
      'map',
      { type: 'map', values: 'int' },
      Buffer.concat([long(-1), long(3), sized(Buffer.from('k')), long(5), long(0)]),
      [{ key: 'k', value: 5 }],
      'list',
    ],
    [
      'array in two blocks',
      { type: 'array', items: 'int' },
      Buffer.concat([long(1), long(5), long(2), long(6), long(7), long(0)]),
      [5, 6, 7],
      'list',
    ],
    ['union with null', ['null', 'string'], Buffer.concat([long(1), sized(Buffer.from('ü'))]), 'ü', 'text'],
    [
      'union of several',
      ['null', 'string', 'int'],
      Buffer.concat([long(2), long(9)]),
      { string: null, int: 9 },
      'struct',
    ],
    ['null of a union of several', ['null', 'string', 'int'], long(0), null, 'struct'],
    ['union of null alone', ['null'], long(0), null, 'text'],
    ['empty record', { type: 'record', name: 'Empty', fields: [] }, Buffer.alloc(0), '{}', 'text'],
    [
      'duration',
      annotated(fixed(12), 'duration'),
      Buffer.from('010000000200000003000000', 'hex'),
      expect.anything(),
      'interval',
    ],
  ])('%s', async (_, type, bytes, expected, kind) => {
    const result = await read(Buffer.concat([header(record({ name: 'v', type })), block(1, bytes)]));
    expect(result.fields[0]?.type.kind).toBe(kind);
    const { v } = result.rows[0] as { v: unknown };
    expect(v).toEqual(expected);
  });

  it('reads every 64-bit integer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), async (values) => {
        const { rows } = await read(
          Buffer.concat([header('"long"'), block(values.length, Buffer.concat(values.map(long)))]),
        );
        expect(rows).toEqual(values.map((value) => ({ value: `${value}n` })));
      }),
      { numRuns: 50 },
    );
  });

  it('reads files that avsc writes: nested, nullable, repeated', async () => {
    const schema = record(
      { name: 'a', type: ['null', { type: 'array', items: ['null', 'string'] }] },
      { name: 'b', type: record({ name: 'x', type: 'boolean' }, { name: 'y', type: ['double', 'null'] }) },
      { name: 'c', type: 'bytes' },
    );
    (schema as unknown as { fields: { type: { name: string } }[] }).fields[1]!.type.name = 'Inner';
    const value = fc.record({
      a: fc.option(fc.array(fc.option(fc.string({ unit: 'grapheme' })))),
      b: fc.record({ x: fc.boolean(), y: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })) }),
      c: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(value), async (values) => {
        const { rows } = await read(file(schema, values));
        expect(rows).toEqual(
          values.map((v) => ({
            a: v.a,
            b: { x: v.b.x, y: v.b.y === 0 ? 0 : v.b.y },
            c: v.c.toString('hex'),
          })),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('keeps names that Avro forbids, and distinguishes names that differ in case', async () => {
    const { fields } = await read(file(record({ name: 'a', type: 'int' }, { name: 'A', type: 'int' }), []));
    expect(fields.map((field) => field.name)).toEqual(['a', 'A_1']);
    const odd = {
      type: 'record',
      name: 'x.y$Z',
      fields: [{ name: 'größe €', type: 'int', default: 'not an int' }],
    };
    expect((await read(header(odd))).fields[0]?.name).toBe('größe €');
  });

  it('cuts batches by rows and by bytes, across blocks', async () => {
    const path = join(directory, 'many.avro');
    const row = Buffer.concat([long(1), sized(Buffer.alloc(50, 'x'))]);
    const rows = Buffer.concat(Array.from({ length: 1000 }, () => row));
    const schema = record({ name: 'i', type: 'int' }, { name: 's', type: 'string' });
    writeFileSync(
      path,
      Buffer.concat([header(schema), ...Array.from({ length: 200 }, () => block(1000, rows))]),
    );
    const sizes: number[] = [];
    for await (const batch of (await decodeAvro(path)).batches) sizes.push(batch.rows);
    expect(sizes).toEqual([65_536, 65_536, 65_536, 3392]);
    const wide = sized(Buffer.alloc(100_000, 'x'));
    const wideRows = block(100, Buffer.concat(Array.from({ length: 100 }, () => wide)));
    writeFileSync(path, Buffer.concat([header('"string"'), wideRows, wideRows]));
    for await (const batch of (await decodeAvro(path)).batches) expect(batch.rows).toBeLessThan(150);
  });
});

describe('bad files', () => {
  const ints = header('{"type":"array","items":"int"}');
  const nulls = header('{"type":"array","items":"null"}');
  const bomb = Buffer.alloc(300 << 20);
  it.each<[string, () => Buffer, RegExp]>([
    ['empty file', () => Buffer.alloc(0), /empty/],
    ['something else', () => Buffer.from('PAR1....'), /does not begin/],
    ['schema that is not JSON', () => header('{'), /not JSON/],
    ['schema that is none', () => header('"nope"'), /not valid: .*nope/],
    ['truncated header', () => header('"int"').subarray(0, 30), /the file ends at byte 30/],
    [
      'negative rows',
      () => Buffer.concat([header('"int"'), long(-1), long(0)]),
      /block 1 at byte \d+: a negative number/,
    ],
    [
      'absurd block size',
      () => Buffer.concat([header('"int"'), long(1), long(2 ** 40)]),
      /claims 1099511627776 bytes/,
    ],
    ['absurd number', () => Buffer.concat([header('"int"'), Buffer.alloc(10, 0xff)]), /absurdly large/],
    [
      'block cut off',
      () => Buffer.concat([header('"int"'), block(1, long(5)).subarray(0, 9)]),
      /the file ends/,
    ],
    [
      'wrong sync marker',
      () => Buffer.concat([header('"int"'), long(1), sized(long(5)), Buffer.alloc(16)]),
      /sync marker at byte/,
    ],
    [
      'more rows than bytes',
      () => Buffer.concat([header('"int"'), block(1_000_000_000, long(5))]),
      /claims 1000000000 rows/,
    ],
    [
      'absurdly many nulls',
      () => Buffer.concat([header('"null"'), block(1e12, Buffer.alloc(0))]),
      /claims 1000000000000 rows/,
    ],
    [
      'bytes left over',
      () => Buffer.concat([header('"int"'), block(1, Buffer.from([2, 4]))]),
      /1 bytes are left/,
    ],
    [
      'row beyond its block',
      () => Buffer.concat([header('"int"'), block(1, Buffer.from([0x80]))]),
      /beyond its block/,
    ],
    [
      'string beyond its block',
      () => Buffer.concat([header('"string"'), block(1, Buffer.from([100]))]),
      /50 bytes reaches beyond/,
    ],
    ['negative length', () => Buffer.concat([header('"string"'), block(1, long(-5))]), /negative/],
    ['array longer than its block', () => Buffer.concat([ints, block(1, long(2 ** 30))]), /more items/],
    ['array of 2^40 nulls', () => Buffer.concat([nulls, block(1, long(2 ** 40))]), /more items/],
    [
      'negative array count',
      () => Buffer.concat([ints, block(1, Buffer.concat([long(-(2 ** 31)), long(1)]))]),
      /more items/,
    ],
    [
      'integer of 11 bytes',
      () => Buffer.concat([header('"long"'), block(1, Buffer.alloc(11, 0xff))]),
      /longer than 64 bits/,
    ],
    ['int of 33 bits', () => Buffer.concat([header('"int"'), block(1, long(2 ** 32))]), /32 bits/],
    [
      'boolean of 2',
      () => Buffer.concat([header('"boolean"'), block(1, Buffer.from([2]))]),
      /neither 0 nor 1/,
    ],
    [
      'enum out of range',
      () => Buffer.concat([header({ type: 'enum', name: 'E', symbols: ['A'] }), block(1, long(1))]),
      /enum/,
    ],
    [
      'text that is not UTF-8',
      () => Buffer.concat([header('"string"'), block(1, sized(Buffer.from([0xff])))]),
      /UTF-8/,
    ],
    [
      'characters cut between values',
      () => Buffer.concat([header('"string"'), block(2, Buffer.from([2, 0xc3, 2, 0xbc]))]),
      /UTF-8/,
    ],
    [
      'too many digits',
      () =>
        Buffer.concat([
          header(annotated('bytes', 'decimal', { precision: 2 })),
          block(1, sized(Buffer.from([100]))),
        ]),
      /2 digits/,
    ],
    [
      'time of day out of range',
      () => Buffer.concat([header(annotated('int', 'time-millis')), block(1, long(-1))]),
      /time of day/,
    ],
    [
      'corrupt deflate',
      () => Buffer.concat([header('"int"', 'deflate'), block(1, Buffer.from([0xff, 0xff]))]),
      /block 1 .*deflate data is corrupt/,
    ],
    [
      'corrupt snappy',
      () => Buffer.concat([header('"int"', 'snappy'), block(1, Buffer.alloc(8, 9))]),
      /snappy/,
    ],
    [
      'snappy claiming 4 GiB',
      () => Buffer.concat([header('"int"', 'snappy'), block(1, Buffer.from('ffffffff0f00000000', 'hex'))]),
      /256 MiB/,
    ],
    [
      'corrupt bzip2',
      () => Buffer.concat([header('"int"', 'bzip2'), block(1, Buffer.from('BZh9 garbage'))]),
      /bzip2 data is corrupt/,
    ],
    [
      'corrupt xz',
      () => Buffer.concat([header('"int"', 'xz'), block(1, Buffer.from('garbage garbage'))]),
      /xz data is corrupt/,
    ],
    [
      'deflate bomb',
      () => Buffer.concat([header('"int"', 'deflate'), block(1, deflateRawSync(bomb))]),
      /256 MiB/,
    ],
    [
      'zstandard bomb',
      () => Buffer.concat([header('"int"', 'zstandard'), block(1, zstdCompressSync(bomb))]),
      /256 MiB/,
    ],
    ['row that unfolds to more memory than a reader has', () => unfolding(), /256 MiB of memory/],
  ])('%s', async (_, bytes, message) => {
    const error = await read(bytes()).catch((caught) => caught);
    expect(error).toBeInstanceOf(DecodeError);
    expect(error.message).toMatch(message);
  });

  /** An array of NULL structs: one byte each in the file, 8 KB each as columns. */
  function unfolding(): Buffer {
    const fields = Array.from({ length: 1000 }, (_, index) => ({ name: `f${index}`, type: 'long' }));
    const schema = { type: 'array', items: ['null', { type: 'record', name: 'Wide', fields }] };
    return Buffer.concat([
      header(schema),
      block(1, Buffer.concat([long(100_000), Buffer.alloc(100_000), long(0)])),
    ]);
  }

  it.each<[string, unknown, RegExp]>([
    ['recursive schema', record({ name: 'next', type: ['null', 'R'] }), /recursive schema \(record R/],
    ['unknown codec', 'codec', /codec "lzma"/],
    ['deeply nested schema', nested(100), /nested deeper/],
    ['schema that expands without end', expanding(20), /more than 10000 columns/],
  ])('%s is not supported', async (_, schema, message) => {
    const bytes = schema === 'codec' ? header('"int"', 'lzma') : header(schema);
    const error = await read(bytes).catch((caught) => caught);
    expect(error).toBeInstanceOf(UnsupportedError);
    expect(error.message).toMatch(message);
  });

  function nested(depth: number): unknown {
    return depth === 0 ? 'int' : { type: 'array', items: nested(depth - 1) };
  }

  /** Each record contains the previous record twice, which makes 2^depth columns. */
  function expanding(depth: number): unknown {
    let type: unknown = 'int';
    for (let i = 0; i < depth; i++) {
      type = {
        type: 'record',
        name: `R${i}`,
        fields: [
          { name: 'a', type },
          { name: 'b', type: i === 0 ? 'int' : `R${i - 1}` },
        ],
      };
    }
    return type;
  }

  it('reads files with any damage as rows, or reports one of its own errors', async () => {
    const good = file(
      record(
        { name: 'a', type: ['null', { type: 'map', values: 'string' }] },
        { name: 'b', type: annotated('bytes', 'decimal', { precision: 4 }) },
        { name: 'c', type: { type: 'array', items: 'long' } },
      ),
      Array.from({ length: 5 }, (_, i) => ({ a: { k: `v${i}` }, b: Buffer.from([i]), c: [i, i] })),
    );
    const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(damage, fc.option(fc.nat(good.length)), async (changes, cut) => {
        const bytes = Buffer.from(good.subarray(0, cut ?? good.length));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        await read(bytes).catch((error) => {
          if (!(error instanceof DecodeError || error instanceof UnsupportedError)) throw error;
        });
      }),
      { numRuns: 1000 },
    );
  });
});
