import {
  decodeThrift,
  encodeThrift,
  MalformedThrift,
  type ThriftList,
  type ThriftStruct,
  type ThriftValue,
  WIRE,
} from './thrift-compact.ts';

/**
 * The metadata at the end of a Parquet file, as far as tablets need it; everything else is preserved
 * unchanged.
 * Source of the field ids:
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */
export interface ParquetFooter {
  readonly rows: number;
  readonly rowGroups: readonly RowGroup[];
}

export interface RowGroup {
  readonly rows: number;
  /** One per leaf of the schema, in the schema's order. */
  readonly chunks: readonly ColumnChunk[];
}

export interface ColumnChunk {
  /** `[column, …]`; for nested types, the fields follow the column. */
  readonly path: readonly string[];
  /** The offset of the first page, which is the dictionary page if there is one. */
  readonly offset: number;
  readonly bytes: number;
  readonly uncompressedBytes: number;
  readonly values: number;
  readonly statistics?: ChunkStatistics | undefined;
}

/** The values are plain-encoded, and absent if the writer did not provide them. */
interface ChunkStatistics {
  readonly min?: Uint8Array | undefined;
  readonly max?: Uint8Array | undefined;
  readonly nulls?: number | undefined;
  /** The size of the dictionary; absent where the values are not encoded with one. */
  readonly distinct?: number | undefined;
}

/** A column of the file, or a field within one. */
export interface FileColumn {
  readonly name: string;
  /** The id that the writer gave the field, for example that of an Iceberg table. */
  readonly id: number | undefined;
  /** The physical and logical type. Equal texts mean equal types. */
  readonly type: string;
  /** Whether it is stored as INT96, which is a time in UTC without saying so. */
  readonly isInt96: boolean;
  /** The fields of a nested type. */
  readonly fields: readonly FileColumn[];
}

const FILE = { schema: 2, rows: 3, rowGroups: 4 } as const;
const ELEMENT = { type: 1, repetition: 3, name: 4, children: 5, id: 9 } as const;
/** The fields of a schema element that describe its type: physical, length, converted, scale, precision, logical. */
const TYPE_FIELDS = [1, 2, 6, 7, 8, 10];
const GROUP = { columns: 1, rows: 3, fileOffset: 5, ordinal: 7 } as const;
const CHUNK = { fileOffset: 2, metadata: 3, offsetIndex: 4, columnIndex: 6 } as const;
const METADATA = {
  path: 3,
  values: 5,
  uncompressedBytes: 6,
  bytes: 7,
  dataPage: 9,
  indexPage: 10,
  dictionaryPage: 11,
  statistics: 12,
  bloomFilter: 14,
} as const;
/** The ids of the fields with offset and length of the offset index and of the column index. */
const CHUNK_INDEXES = [4, 5, 6, 7];
/** The ids of the fields with offset and length. */
const BLOOM_FILTER = [14, 15];
const STATISTICS = { nulls: 3, distinct: 4, max: 5, min: 6 } as const;

const text = new TextDecoder();

/** A footer that can be read, and divided together with its file. */
export class FooterDocument {
  readonly #file: ThriftStruct;

  private constructor(file: ThriftStruct) {
    this.#file = file;
  }

  /** @throws MalformedThrift */
  static decode(bytes: Uint8Array): FooterDocument {
    return new FooterDocument(decodeThrift(bytes));
  }

  encode(): Uint8Array {
    return encodeThrift(this.#file);
  }

  read(): ParquetFooter {
    return {
      rows: long(this.#file, FILE.rows),
      rowGroups: structs(this.#file, FILE.rowGroups).map(readRowGroup),
    };
  }

  /** The columns of the file. @throws MalformedThrift */
  columns(): readonly FileColumn[] {
    const elements = structs(this.#file, FILE.schema);
    let next = 0;
    const read = (depth: number): FileColumn => {
      const element = elements[next++];
      if (element === undefined || depth > MAX_SCHEMA_DEPTH)
        throw new MalformedThrift('the schema does not have the fields that it announces');
      const name = element.get(ELEMENT.name)?.value;
      const id = element.get(ELEMENT.id)?.value;
      const children = element.get(ELEMENT.children)?.value;
      return {
        name: name instanceof Uint8Array ? text.decode(name) : '',
        id: typeof id === 'number' ? id : undefined,
        type: typeText(element),
        isInt96: element.get(ELEMENT.type)?.value === INT96,
        fields: Array.from({ length: typeof children === 'number' ? children : 0 }, () => read(depth + 1)),
      };
    };
    return read(0).fields;
  }

  /**
   * The footer of the same file with only the row groups `from` to `to` (exclusive), and without references
   * to Bloom filters and page indexes, so that a reader only reads the pages of these row groups. Row groups
   * are not copied.
   */
  only(from: number, to: number): FooterDocument {
    const part = this.slice(from, to, 0);
    for (const group of structs(part.#file, FILE.rowGroups)) {
      for (const chunk of structs(group, GROUP.columns)) {
        for (const id of CHUNK_INDEXES) chunk.delete(id);
        const metadata = struct(chunk, CHUNK.metadata);
        for (const id of BLOOM_FILTER) metadata.delete(id);
      }
    }
    return part;
  }

  /**
   * The footer of a file that contains only the row groups `from` to `to` (exclusive), with their bytes moved
   * by `shift`. It may be called only once per row group, because row groups are not copied.
   */
  slice(from: number, to: number, shift: number): FooterDocument {
    const groups = structs(this.#file, FILE.rowGroups).slice(from, to);
    for (const [i, group] of groups.entries()) {
      moveRowGroup(group, BigInt(shift));
      const ordinal = group.get(GROUP.ordinal);
      if (ordinal !== undefined) ordinal.value = i;
    }
    const rows = groups.reduce((sum, group) => sum + long(group, GROUP.rows), 0);
    const file: ThriftStruct = new Map(this.#file);
    file.set(FILE.rows, { wire: WIRE.i64, value: BigInt(rows) });
    file.set(FILE.rowGroups, { wire: WIRE.list, value: { elementWire: WIRE.struct, values: groups } });
    return new FooterDocument(file);
  }
}

const INT96 = 3;
const MAX_SCHEMA_DEPTH = 100;

/** The type and repetition of a schema element as text. */
const typeText = (element: ThriftStruct): string =>
  JSON.stringify([ELEMENT.repetition, ...TYPE_FIELDS].map((id) => plain(element.get(id)?.value)));

function plain(value: ThriftValue | undefined): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Map) return [...value].map(([id, field]) => [id, field.wire, plain(field.value)]);
  if (typeof value === 'object') return value.values.map(plain);
  return typeof value === 'bigint' ? String(value) : value;
}

function readRowGroup(group: ThriftStruct): RowGroup {
  return {
    rows: long(group, GROUP.rows),
    chunks: structs(group, GROUP.columns).map((chunk) => {
      const metadata = struct(chunk, CHUNK.metadata);
      const dictionary = metadata.get(METADATA.dictionaryPage)?.value;
      const data = long(metadata, METADATA.dataPage);
      const statistics = metadata.get(METADATA.statistics)?.value;
      return {
        path: list(metadata, METADATA.path).values.map((name) => text.decode(name as Uint8Array)),
        offset: typeof dictionary === 'bigint' && dictionary > 0n ? Math.min(Number(dictionary), data) : data,
        bytes: long(metadata, METADATA.bytes),
        uncompressedBytes: long(metadata, METADATA.uncompressedBytes),
        values: long(metadata, METADATA.values),
        statistics: statistics instanceof Map ? readStatistics(statistics) : undefined,
      };
    }),
  };
}

function readStatistics(statistics: ThriftStruct): ChunkStatistics {
  const min = statistics.get(STATISTICS.min)?.value;
  const max = statistics.get(STATISTICS.max)?.value;
  const nulls = statistics.get(STATISTICS.nulls)?.value;
  const distinct = statistics.get(STATISTICS.distinct)?.value;
  return {
    min: min instanceof Uint8Array ? min : undefined,
    max: max instanceof Uint8Array ? max : undefined,
    nulls: typeof nulls === 'bigint' ? Number(nulls) : undefined,
    distinct: typeof distinct === 'bigint' ? Number(distinct) : undefined,
  };
}

function moveRowGroup(group: ThriftStruct, shift: bigint): void {
  move(group, GROUP.fileOffset, shift);
  for (const chunk of structs(group, GROUP.columns)) {
    move(chunk, CHUNK.fileOffset, shift);
    move(chunk, CHUNK.offsetIndex, shift);
    move(chunk, CHUNK.columnIndex, shift);
    const metadata = struct(chunk, CHUNK.metadata);
    move(metadata, METADATA.dataPage, shift);
    move(metadata, METADATA.indexPage, shift);
    move(metadata, METADATA.dictionaryPage, shift);
    move(metadata, METADATA.bloomFilter, shift);
  }
}

/** Moves an offset; 0 means "not given" for old writers and stays. */
function move(of: ThriftStruct, id: number, shift: bigint): void {
  const field = of.get(id);
  if (typeof field?.value === 'bigint' && field.value > 0n) field.value += shift;
}

function long(of: ThriftStruct, id: number): number {
  const value = of.get(id)?.value;
  if (typeof value !== 'bigint') throw new MalformedThrift(`field ${id} is not a 64-bit integer`);
  return Number(value);
}

function struct(of: ThriftStruct, id: number): ThriftStruct {
  const value = of.get(id)?.value;
  if (!(value instanceof Map)) throw new MalformedThrift(`field ${id} is not a struct`);
  return value;
}

function list(of: ThriftStruct, id: number): ThriftList {
  const value = of.get(id)?.value;
  if (typeof value !== 'object' || !('elementWire' in value))
    throw new MalformedThrift(`field ${id} is not a list`);
  return value;
}

function structs(of: ThriftStruct, id: number): ThriftStruct[] {
  const found = list(of, id);
  if (found.values.length > 0 && found.elementWire !== WIRE.struct)
    throw new MalformedThrift(`field ${id} is not a list of structs`);
  return found.values as ThriftStruct[];
}
