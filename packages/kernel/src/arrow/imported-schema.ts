import { Field, type Schema } from 'apache-arrow/schema';
import { DataType, type Dictionary } from 'apache-arrow/type';
import { checkErrorData } from '../native/error-data.ts';
import type { Pointer } from '../native/libc.ts';
import { duckdb, NO_RELEASE } from '../native/library.ts';
import { takeLogicalType } from '../native/logical-type.ts';
import { NativeBlock } from '../native/memory.ts';
import { NativeError } from '../native/native-error.ts';
import type { KernelColumn, KernelType } from '../types/kernel-type.ts';
import { NULLABLE, SCHEMA_AT, SCHEMA_BYTES } from './c-structs.ts';
import { formatOfType } from './format.ts';
import { ImportedBatch } from './imported-batch.ts';
import { childrenOf, layoutOf } from './layout.ts';
import { readTypeLabel, TYPE_METADATA_KEY } from './type-label.ts';

/** Extension types that the kernel supports; for others, the storage type is read. */
const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set(['arrow.json', 'arrow.uuid', 'arrow.bool8']);
const EXTENSION_KEYS = ['ARROW:extension:name', 'ARROW:extension:metadata'];

/** An Arrow schema in the kernel's form, used to convert arrays of that schema to chunks. */
export class ImportedSchema {
  readonly schema: Schema;
  /** The kernel types that the kernel derives from the Arrow types. */
  readonly chunkTypes: readonly KernelType[];
  /** The columns of the table, with the more specific types that the schema names. */
  readonly columns: readonly KernelColumn[];
  readonly #connection: Pointer;
  readonly #memory = new SchemaMemory();
  readonly #converted = new NativeBlock(8);

  private constructor(connection: Pointer, schema: Schema) {
    this.schema = schema;
    this.#connection = connection;
    const root = this.#memory.root(schema);
    checkErrorData(duckdb.schemaFromArrow(connection, root.address, this.#converted.address));
    this.chunkTypes = this.#chunkTypes();
    this.columns = schema.fields.map((field, i) => ({
      name: field.name,
      type: readTypeLabel(field.metadata.get(TYPE_METADATA_KEY)) ?? this.chunkTypes[i]!,
    }));
  }

  static read(connection: Pointer, schema: Schema): ImportedSchema {
    if (schema.fields.length === 0) throw invalid('the Arrow schema has no columns');
    return new ImportedSchema(connection, schema);
  }

  get handle(): Pointer {
    return this.#converted.pointerAt(0);
  }

  destroy(): void {
    duckdb.destroyConvertedSchema(this.#converted.address);
    this.#memory.release();
  }

  /** The types of a chunk, read from one without rows. */
  #chunkTypes(): KernelType[] {
    const empty = ImportedBatch.empty(this.schema);
    const chunk = new NativeBlock(8);
    checkErrorData(duckdb.chunkFromArrow(this.#connection, empty.address, this.handle, chunk.address));
    try {
      return this.schema.fields.map((_, i) => vectorType(chunk.pointerAt(0), i));
    } finally {
      duckdb.destroyChunk(chunk.address);
      empty.keepAlive();
    }
  }
}

const vectorType = (chunk: Pointer, i: number): KernelType =>
  takeLogicalType(duckdb.vectorType(duckdb.chunkVector(chunk, i))) ?? { id: 'NULL' };

const invalid = (message: string) =>
  new NativeError(JSON.stringify({ exception_type: 'Invalid Input', exception_message: message }));

/** The C structs of a schema, kept alive while the kernel reads them. */
class SchemaMemory {
  #kept: NativeBlock[] = [];

  release(): void {
    this.#kept = [];
  }

  root(schema: Schema): NativeBlock {
    const root = this.#block(SCHEMA_BYTES);
    root.setPointer(SCHEMA_AT.format, this.#text('+s'));
    root.setPointer(SCHEMA_AT.name, this.#text(''));
    root.setPointer(SCHEMA_AT.release, NO_RELEASE);
    this.#setChildren(root, schema.fields);
    return root;
  }

  #field(field: Field): Pointer {
    if (DataType.isDictionary(field.type)) return this.#field(decodedField(field, field.type));
    const format = formatOfType(field.type);
    const layout = layoutOf(field.type);
    if (format === undefined || layout === undefined) {
      throw invalid(`column "${field.name}": the Arrow type ${field.type} is not supported`);
    }
    const block = this.#block(SCHEMA_BYTES);
    // Names of items may be missing, although their type does not allow it.
    if ((field.name as string | null)?.includes('\0'))
      throw invalid(`the name of column ${JSON.stringify(field.name)} has a NUL character`);
    block.setPointer(SCHEMA_AT.format, this.#text(format));
    block.setPointer(SCHEMA_AT.name, this.#text(field.name));
    block.setPointer(SCHEMA_AT.metadata, this.#metadata(field.metadata));
    block.setPointer(SCHEMA_AT.flags, field.nullable ? NULLABLE : 0n);
    block.setPointer(SCHEMA_AT.release, NO_RELEASE);
    this.#setChildren(block, childrenOf(layout));
    return block.address;
  }

  #setChildren(block: NativeBlock, children: readonly Field[]): void {
    const pointers = this.#block(Math.max(1, children.length) * 8);
    for (const [i, child] of children.entries()) pointers.setPointer(i * 8, this.#field(child));
    block.setPointer(SCHEMA_AT.childCount, BigInt(children.length));
    block.setPointer(SCHEMA_AT.children, pointers.address);
  }

  #metadata(metadata: Map<string, string>): Pointer {
    if (!KNOWN_EXTENSIONS.has(metadata.get(EXTENSION_KEYS[0]!) ?? '')) return 0n;
    const pairs = EXTENSION_KEYS.flatMap((key) => {
      const value = metadata.get(key);
      return value === undefined ? [] : [lengthPrefixed(key), lengthPrefixed(value)];
    });
    const count = Buffer.alloc(4);
    count.writeInt32LE(pairs.length / 2);
    return this.#bytes(Buffer.concat([count, ...pairs]));
  }

  #text(text: string): Pointer {
    return this.#bytes(Buffer.from(`${text}\0`, 'utf8'));
  }

  #bytes(bytes: Buffer): Pointer {
    const block = this.#block(bytes.length);
    block.bytes.set(bytes);
    return block.address;
  }

  #block(size: number): NativeBlock {
    const block = new NativeBlock(size);
    this.#kept.push(block);
    return block;
  }
}

/** Batches arrive with their dictionaries resolved. */
const decodedField = (field: Field, type: Dictionary): Field =>
  new Field(field.name, type.dictionary as DataType, field.nullable, field.metadata);

function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(4);
  length.writeInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}
