import { type FileHandle, open } from 'node:fs/promises';
import type { ColumnType } from './column.ts';
import { type ColumnChunk, ENCODING } from './column-chunk.ts';
import { binary, flag, i8, i32, i64, list, struct, type ThriftValue, text, thriftBytes } from './thrift.ts';

export interface ColumnSchema {
  readonly name: string;
  readonly type: ColumnType;
  /** Its columns say of each row whether it is there. */
  readonly nullable?: boolean;
}

const MAGIC = Buffer.from('PAR1');
const ZSTD = 6;
const INT32 = 1;
const INT64 = 2;
const BYTE_ARRAY = 6;
const REQUIRED = 0;
const OPTIONAL = 1;

/** Physical type, and what makes the type of it (converted type, scale and precision, logical type). */
const TYPES: Readonly<Record<ColumnType, readonly [physical: number, Record<number, ThriftValue>]>> = {
  smallint: [INT32, { 6: i32(16), 10: struct({ 10: struct({ 1: i8(16), 2: flag(true) }) }) }],
  integer: [INT32, {}],
  bigint: [INT64, {}],
  'decimal(5)': [INT32, decimal(5)],
  'decimal(7)': [INT32, decimal(7)],
  decimal: [INT64, decimal(15)],
  date: [INT32, { 6: i32(6), 10: struct({ 6: struct({}) }) }],
  timestamp: [
    INT64,
    { 6: i32(10), 10: struct({ 8: struct({ 1: flag(false), 2: struct({ 2: struct({}) }) }) }) },
  ],
  text: [BYTE_ARRAY, { 6: i32(0), 10: struct({ 1: struct({}) }) }],
};

function decimal(precision: number): Record<number, ThriftValue> {
  const logical = struct({ 5: struct({ 1: i32(2), 2: i32(precision) }) });
  return { 6: i32(5), 7: i32(2), 8: i32(precision), 10: logical };
}

/** A Parquet file that is written row group by row group. It is whole only after {@link ParquetFile.close}. */
export class ParquetFile {
  readonly #file: FileHandle;
  readonly #schema: readonly ColumnSchema[];
  readonly #groups: ThriftValue[] = [];
  #rows = 0;
  #end = 0;

  private constructor(file: FileHandle, schema: readonly ColumnSchema[]) {
    this.#file = file;
    this.#schema = schema;
  }

  static async create(path: string, schema: readonly ColumnSchema[]): Promise<ParquetFile> {
    const file = new ParquetFile(await open(path, 'w'), schema);
    await file.#write([MAGIC]);
    return file;
  }

  /** @param chunks one for each column of the schema */
  async write(chunks: readonly ColumnChunk[]): Promise<void> {
    const start = this.#end;
    const columns = chunks.map((chunk, i) => {
      const offset = this.#end;
      this.#end += chunk.compressedSize;
      return describe(this.#schema[i]!, chunk, offset);
    });
    const rows = chunks[0]!.rows;
    const size = chunks.reduce((sum, chunk) => sum + chunk.uncompressedSize, 0);
    this.#groups.push(
      struct({ 1: list(columns), 2: i64(size), 3: i64(rows), 5: i64(start), 6: i64(this.#end - start) }),
    );
    this.#rows += rows;
    this.#end = start;
    await this.#write(chunks.flatMap((chunk) => chunk.bytes));
  }

  async close(): Promise<void> {
    const leaves = this.#schema.map(({ name, type, nullable }) => {
      const [physical, meaning] = TYPES[type];
      return struct({ 1: i32(physical), 3: i32(nullable ? OPTIONAL : REQUIRED), 4: text(name), ...meaning });
    });
    const root = struct({ 4: text('schema'), 5: i32(leaves.length) });
    const footer = thriftBytes(
      struct({
        1: i32(1),
        2: list([root, ...leaves]),
        3: i64(this.#rows),
        4: list(this.#groups),
        6: text('tessera workloads'),
        // The bounds of columns are in the order that each type has.
        7: list(leaves.map(() => struct({ 1: struct({}) }))),
      }),
    );
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.length);
    await this.#write([footer, length, MAGIC]);
    await this.#file.close();
  }

  /** Gives the file up as it is. */
  async abandon(): Promise<void> {
    await this.#file.close();
  }

  async #write(parts: readonly Uint8Array[]): Promise<void> {
    for (const part of parts) {
      await this.#file.appendFile(part);
      this.#end += part.length;
    }
  }
}

function describe({ name, type }: ColumnSchema, chunk: ColumnChunk, offset: number): ThriftValue {
  const { dataOffset, range } = chunk;
  const encodings = dataOffset > 0 ? [ENCODING.plain, ENCODING.dictionary] : [ENCODING.plain];
  const statistics = range && struct({ 3: i64(chunk.nulls), 5: binary(range[1]), 6: binary(range[0]) });
  return struct({
    2: i64(0),
    3: struct({
      1: i32(TYPES[type][0]),
      2: list(encodings.map(i32)),
      3: list([text(name)]),
      4: i32(ZSTD),
      5: i64(chunk.rows),
      6: i64(chunk.uncompressedSize),
      7: i64(chunk.compressedSize),
      9: i64(offset + dataOffset),
      11: dataOffset > 0 ? i64(offset) : undefined,
      12: statistics,
    }),
  });
}
