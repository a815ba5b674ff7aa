import zlib from 'node:zlib';
import type { KernelType } from '@tessera/kernel';
import type { ColumnChunk, RowGroup } from '../body/parquet-footer.ts';
import {
  encodeThrift,
  type ThriftField,
  type ThriftStruct,
  type ThriftValue,
  WIRE,
} from '../body/thrift-compact.ts';
import { MAX_TEXT_BYTES } from '../values/plain-value.ts';
import { PARQUET_MAGIC } from './body-file.ts';

/**
 * A value of a row: `number` for INTEGER, FLOAT, DOUBLE and DATE (days since 1970-01-01), `bigint` for BIGINT, DECIMAL
 * (its digits without the point), TIMESTAMP and TIMESTAMPTZ (microseconds since 1970-01-01 in UTC).
 */
export type RowValue = null | boolean | number | bigint | string;

export interface RowColumn {
  readonly name: string;
  readonly type: KernelType;
  readonly value: RowValue;
}

/** The Parquet file of one row. */
export interface RowBody {
  /** The bytes before the footer. */
  readonly content: Buffer;
  readonly footer: Uint8Array;
  readonly group: RowGroup;
}

// Source of the numbers: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
const PHYSICAL = { boolean: 0, int32: 1, int64: 2, float: 4, double: 5, bytes: 6, fixed: 7 } as const;
const CONVERTED = { utf8: 0, decimal: 5, date: 6, timestampMicros: 10, int32: 17, int64: 18 } as const;
const LOGICAL = { decimal: 5, timestamp: 8 } as const;
const MICROS = 2;
const [REQUIRED, OPTIONAL] = [0, 1];
const [PLAIN, RLE] = [0, 3];
const [UNCOMPRESSED, ZSTD] = [0, 6];
const DATA_PAGE = 0;
/** The definition levels of a page with one value: their length, and one run of one level. */
const LEVELS = { null: Buffer.from([2, 0, 0, 0, 2, 0]), value: Buffer.from([2, 0, 0, 0, 2, 1]) } as const;
/** Compression does not pay for shorter pages. */
const MIN_COMPRESSED_BYTES = 256;

const i32 = (value: number): ThriftField => ({ wire: WIRE.i32, value });
const i64 = (value: number): ThriftField => ({ wire: WIRE.i64, value: BigInt(value) });
const binary = (value: Uint8Array): ThriftField => ({ wire: WIRE.binary, value });
const text = (value: string): ThriftField => binary(Buffer.from(value));
const bool = (value: boolean): ThriftField => ({ wire: value ? WIRE.true : WIRE.false, value });
const list = (elementWire: number, values: ThriftValue[]): ThriftField => ({
  wire: WIRE.list,
  value: { elementWire, values },
});
const fields = (all: Readonly<Record<number, ThriftField | undefined>>): ThriftStruct =>
  new Map(
    Object.entries(all).flatMap(([id, field]) => (field === undefined ? [] : [[Number(id), field] as const])),
  );
const struct = (all: Readonly<Record<number, ThriftField | undefined>>): ThriftField => ({
  wire: WIRE.struct,
  value: fields(all),
});

interface StoredAs {
  readonly physical: number;
  /** Further fields of the schema element. */
  readonly schema: Readonly<Record<number, ThriftField>>;
  /** The plain encoding. */
  encode(value: Exclude<RowValue, null>): Buffer;
}

const encoded = <T>(length: number, write: (into: Buffer, value: T) => unknown) => {
  return (value: RowValue): Buffer => {
    const into = Buffer.alloc(length);
    write(into, value as T);
    return into;
  };
};
const int32 = encoded<number | bigint>(4, (into, value) => into.writeInt32LE(Number(value)));
const int64 = encoded<bigint>(8, (into, value) => into.writeBigInt64LE(value));
const int128 = encoded<bigint>(16, (into, value) => {
  into.writeBigInt64BE(value >> 64n, 0);
  into.writeBigUInt64BE(BigInt.asUintN(64, value), 8);
});
const converted = (type: number) => ({ 6: i32(type) });

/** How the kernel stores a type; undefined for types whose values are left to it. The sum with 0 is 0 for -0, see `selectList`. */
function storedAs(type: KernelType): StoredAs | undefined {
  switch (type.id) {
    case 'BOOLEAN':
      return {
        physical: PHYSICAL.boolean,
        schema: {},
        encode: encoded<boolean>(1, (into, value) => into.writeUInt8(value ? 1 : 0)),
      };
    case 'INTEGER':
      return { physical: PHYSICAL.int32, schema: converted(CONVERTED.int32), encode: int32 };
    case 'BIGINT':
      return { physical: PHYSICAL.int64, schema: converted(CONVERTED.int64), encode: int64 };
    case 'FLOAT':
      return {
        physical: PHYSICAL.float,
        schema: {},
        encode: encoded<number>(4, (into, value) => into.writeFloatLE(value + 0)),
      };
    case 'DOUBLE':
      return {
        physical: PHYSICAL.double,
        schema: {},
        encode: encoded<number>(8, (into, value) => into.writeDoubleLE(value + 0)),
      };
    case 'VARCHAR':
      return {
        physical: PHYSICAL.bytes,
        schema: converted(CONVERTED.utf8),
        encode: (value) => Buffer.from(value as string),
      };
    case 'DATE':
      return { physical: PHYSICAL.int32, schema: converted(CONVERTED.date), encode: int32 };
    case 'TIMESTAMP':
    case 'TIMESTAMPTZ': {
      const unit = struct({ [MICROS]: struct({}) });
      const timestamp = struct({ 1: bool(type.id === 'TIMESTAMPTZ'), 2: unit });
      return {
        physical: PHYSICAL.int64,
        schema: { ...converted(CONVERTED.timestampMicros), 10: struct({ [LOGICAL.timestamp]: timestamp }) },
        encode: int64,
      };
    }
    case 'DECIMAL':
      return decimal(type.width, type.scale);
    default:
      return undefined;
  }
}

function decimal(width: number, scale: number): StoredAs {
  const logical = struct({ [LOGICAL.decimal]: struct({ 1: i32(scale), 2: i32(width) }) });
  const schema = { ...converted(CONVERTED.decimal), 7: i32(scale), 8: i32(width), 10: logical };
  if (width <= 9) return { physical: PHYSICAL.int32, schema, encode: int32 };
  if (width <= 18) return { physical: PHYSICAL.int64, schema, encode: int64 };
  return { physical: PHYSICAL.fixed, schema: { 2: i32(16), ...schema }, encode: int128 };
}

/**
 * Encodes one row as the kernel would, up to compression. Undefined if a column has a type that is left to the kernel.
 */
export function rowBody(columns: readonly RowColumn[]): RowBody | undefined {
  const parts: Buffer[] = [Buffer.from(PARQUET_MAGIC, 'latin1')];
  let offset = PARQUET_MAGIC.length;
  const chunks: ColumnChunk[] = [];
  const elements: ThriftStruct[] = [];
  const described: ThriftStruct[] = [];
  for (const { name, type, value } of columns) {
    const stored = storedAs(type);
    if (stored === undefined) return undefined;
    const plain = value === null ? undefined : stored.encode(value);
    const { head, body, codec, uncompressedBytes } = page(stored, plain);
    const chunk: ColumnChunk = {
      path: [name],
      offset,
      bytes: head.length + body.length,
      uncompressedBytes,
      values: 1,
      statistics: { nulls: plain === undefined ? 1 : 0, min: plain, max: plain },
    };
    parts.push(head, body);
    offset += chunk.bytes;
    chunks.push(chunk);
    elements.push(fields({ 1: i32(stored.physical), 3: i32(OPTIONAL), 4: text(name), ...stored.schema }));
    described.push(chunkMetadata(chunk, stored.physical, codec));
  }
  const root = fields({ 3: i32(REQUIRED), 4: text('duckdb_schema'), 5: i32(columns.length) });
  const group = fields({
    1: list(WIRE.struct, described),
    2: i64(chunks.reduce((sum, { uncompressedBytes }) => sum + uncompressedBytes, 0)),
    3: i64(1),
    5: i64(PARQUET_MAGIC.length),
    6: i64(offset - PARQUET_MAGIC.length),
    7: { wire: WIRE.i16, value: 0 },
  });
  const file = fields({
    1: i32(1),
    2: list(WIRE.struct, [root, ...elements]),
    3: i64(1),
    4: list(WIRE.struct, [group]),
    6: text('Tessera'),
  });
  return { content: Buffer.concat(parts), footer: encodeThrift(file), group: { rows: 1, chunks } };
}

function page({ physical }: StoredAs, plain: Buffer | undefined) {
  const length = Buffer.alloc(physical === PHYSICAL.bytes && plain !== undefined ? 4 : 0);
  if (length.length > 0) length.writeUInt32LE(plain!.length);
  const whole = Buffer.concat(plain === undefined ? [LEVELS.null] : [LEVELS.value, length, plain]);
  const packed = whole.length < MIN_COMPRESSED_BYTES ? whole : zlib.zstdCompressSync(whole);
  const isSmaller = packed.length < whole.length;
  const body = isSmaller ? packed : whole;
  const dataPage = struct({ 1: i32(1), 2: i32(PLAIN), 3: i32(RLE), 4: i32(RLE) });
  const head = Buffer.from(
    encodeThrift(fields({ 1: i32(DATA_PAGE), 2: i32(whole.length), 3: i32(body.length), 5: dataPage })),
  );
  const uncompressedBytes = head.length + whole.length;
  return { head, body, codec: isSmaller ? ZSTD : UNCOMPRESSED, uncompressedBytes };
}

function chunkMetadata(
  { path, offset, bytes, uncompressedBytes, statistics }: ColumnChunk,
  physical: number,
  codec: number,
): ThriftStruct {
  const { nulls, min } = statistics!;
  const bound = min === undefined || min.length > MAX_TEXT_BYTES ? undefined : binary(min);
  return fields({
    2: i64(0),
    3: struct({
      1: i32(physical),
      2: list(WIRE.i32, [PLAIN, RLE]),
      3: list(
        WIRE.binary,
        path.map((name) => Buffer.from(name)),
      ),
      4: i32(codec),
      5: i64(1),
      6: i64(uncompressedBytes),
      7: i64(bytes),
      9: i64(offset),
      12: struct({ 3: i64(nulls!), 5: bound, 6: bound }),
    }),
  });
}
