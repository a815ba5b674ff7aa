import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import type { Column, ColumnType } from './column.ts';

export interface ColumnSchema {
  readonly name: string;
  readonly type: ColumnType;
  /** Whether the column may contain NULL; its `present` says in which rows. */
  readonly nullable?: boolean;
}

type SchemaElement = ParquetWriter['schema'][number];

/** The bytes of a row group, and its metadata, whose offsets are relative to the first of these bytes. */
export interface EncodedRowGroup {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly metadata: ParquetWriter['row_groups'][number];
}

/** Encodes the columns, one for each column of the schema, as one row group. */
export function encodeRowGroup(schema: readonly ColumnSchema[], columns: readonly Column[]): EncodedRowGroup {
  const writer = new ByteWriter();
  const file = openWriter(writer, schema);
  const start = writer.offset;
  const columnData = columns.map((column, i) => columnSource(schema[i]!, column));
  void file.write({ columnData, rowGroupSize: columnData[0]!.data.length });
  const bytes = new Uint8Array(writer.getBytes().subarray(start));
  return { bytes, metadata: movedBy(file.row_groups[0]!, -start) };
}

/** Creates a writer of files with these columns, which begins with the first bytes of a file. */
export const openWriter = (writer: ByteWriter, schema: readonly ColumnSchema[]): ParquetWriter =>
  new ParquetWriter({
    writer,
    schema: [{ name: 'root', num_children: schema.length }, ...schema.map(elementOf)],
    codec: 'ZSTD',
    // The output buffer is one chunk: zlib's default chunks of 16 KB make it take 1.5 times as long.
    compressors: {
      ZSTD: (bytes) => new Uint8Array(zstdCompressSync(bytes, { chunkSize: bytes.length + 1024 })),
    },
    createdBy: 'tessera workloads',
  });

/** Returns the same metadata for a row group that is `bytes` further into the file. */
export const movedBy = (group: EncodedRowGroup['metadata'], bytes: number): EncodedRowGroup['metadata'] => ({
  ...group,
  columns: group.columns.map((chunk) => {
    const { meta_data: data } = chunk;
    if (data === undefined) return chunk;
    const { data_page_offset, dictionary_page_offset } = data;
    return {
      ...chunk,
      file_offset: chunk.file_offset + BigInt(bytes),
      meta_data: {
        ...data,
        data_page_offset: data_page_offset + BigInt(bytes),
        ...(dictionary_page_offset !== undefined && {
          dictionary_page_offset: dictionary_page_offset + BigInt(bytes),
        }),
      },
    };
  }),
});

const decimal = (type: 'INT32' | 'INT64', precision: number) =>
  ({ type, converted_type: 'DECIMAL', scale: 2, precision }) as const;

const ELEMENTS: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  smallint: { type: 'INT32', converted_type: 'INT_16' },
  integer: { type: 'INT32' },
  bigint: { type: 'INT64' },
  'decimal(5)': decimal('INT32', 5),
  'decimal(7)': decimal('INT32', 7),
  decimal: decimal('INT64', 15),
  date: { type: 'INT32', converted_type: 'DATE' },
  timestamp: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
  },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
};

const elementOf = ({ name, type, nullable }: ColumnSchema): SchemaElement => ({
  name,
  repetition_type: nullable === true ? 'OPTIONAL' : 'REQUIRED',
  ...ELEMENTS[type],
});

function columnSource({ name, type }: ColumnSchema, column: Column): ColumnSource {
  const values = valuesOf(type, column);
  const data = column.present === undefined ? values : withNulls(column.present, values);
  // Texts that are all different get neither a dictionary nor bounds.
  const isPlain = column.type === 'text';
  return { name, data, offsetIndex: false, ...(isPlain && { encoding: 'PLAIN', statistics: false }) };
}

type Values = Exclude<ColumnSource['data'], undefined>;

/** The values without NULL in the form that the writer requires: 64-bit integers and decimals as `bigint`. */
function valuesOf(type: ColumnType, column: Column): Values {
  switch (column.type) {
    case 'words':
      return Array.from(column.places, (place) => column.words[place]!);
    case 'strings':
      return [...column.values];
    case 'text':
      return textsOf(column.bytes, column.rows);
    case 'large':
      return column.values;
    default: {
      const isLarge = type.startsWith('decimal') || ELEMENTS[type].type === 'INT64';
      return isLarge ? Array.from(column.values, BigInt) : Int32Array.from(column.values);
    }
  }
}

/** The texts as views of the bytes, in which each text follows its length. */
function textsOf(bytes: Uint8Array, rows: number): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const texts = new Array<Uint8Array>(rows);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const start = at + 4;
    at = start + view.getUint32(at, true);
    texts[row] = bytes.subarray(start, at);
  }
  return texts;
}

function withNulls(present: Uint8Array, values: Values): unknown[] {
  let next = 0;
  return Array.from(present, (there) => (there === 1 ? values[next++] : null));
}
