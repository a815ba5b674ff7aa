import type { Schema } from 'apache-arrow';
import type { ArrayData } from '../arrow/array-data.ts';
import { corrupt } from '../arrow/corrupt-batch.ts';
import { ImportedBatch } from '../arrow/imported-batch.ts';
import { ImportedSchema } from '../arrow/imported-schema.ts';
import { readMessage } from '../arrow/ipc.ts';
import { readArrays } from '../arrow/read-arrays.ts';
import type { NativeConnection } from '../native/connection.ts';
import { checkErrorData } from '../native/error-data.ts';
import { duckdb, offLoop } from '../native/library.ts';
import { takeLogicalType } from '../native/logical-type.ts';
import { NativeBlock } from '../native/memory.ts';
import { type KernelType, typeToSql } from '../types/kernel-type.ts';
import { quoteName } from '../types/quoting.ts';
import { type AppendInput, appendPayloads } from './append-input.ts';

const CHUNK_ROWS = 131_072;
/** The appender casts into a chunk of the kernel's vector size, and writes past its end if there are more rows. */
const CAST_CHUNK_ROWS = 2048;

/** Makes the temp table and appends the input to it in its order; the number of rows. Leaves no table on failure. */
export async function runAppend(
  connection: NativeConnection,
  table: string,
  schemaIpc: Uint8Array,
  input: AppendInput,
): Promise<number> {
  const schema = readMessage(new Uint8Array(schemaIpc), 0)!.message.header() as Schema;
  const imported = ImportedSchema.read(connection.handle, schema);
  try {
    const columns = imported.columns.map((c) => `${quoteName(c.name)} ${columnType(c.type)}`);
    await connection.run(`CREATE TEMP TABLE ${quoteName(table)} (${columns.join(', ')})`);
    try {
      return await fill(connection, table, imported, input);
    } catch (error) {
      connection.endInterrupt();
      await connection.run(`DROP TABLE temp.main.${quoteName(table)}`);
      throw error;
    }
  } finally {
    imported.destroy();
  }
}

/** A column of untyped NULLs needs some type. */
const columnType = (type: KernelType): string => (type.id === 'NULL' ? 'INTEGER' : typeToSql(type));

async function fill(
  connection: NativeConnection,
  table: string,
  imported: ImportedSchema,
  input: AppendInput,
): Promise<number> {
  const appender = new Appender(connection, table, imported.chunkTypes);
  const dictionaries = new Map<number, ArrayData>();
  let total = 0;
  try {
    for (let payload = await input.next(); payload !== undefined; payload = await input.next()) {
      let at = 0;
      let isKept = false;
      for (let read = message(payload, at); read !== undefined; read = message(payload, at)) {
        at = read.end;
        isKept ||= read.message.isDictionaryBatch();
        total += await appendMessage(read, imported, dictionaries, appender);
      }
      // Dictionaries are read where they came.
      if (!isKept) appendPayloads.give(payload);
    }
    await appender.close();
    return total;
  } finally {
    await appender.destroy();
  }
}

function message(payload: Uint8Array, at: number): ReturnType<typeof readMessage> {
  try {
    return readMessage(payload, at);
  } catch (error) {
    throw corrupt('', error instanceof Error ? error.message : String(error));
  }
}

async function appendMessage(
  { message, body }: NonNullable<ReturnType<typeof readMessage>>,
  imported: ImportedSchema,
  dictionaries: Map<number, ArrayData>,
  appender: Appender,
): Promise<number> {
  const lookUp = ({ id }: { id: number }) => {
    const values = dictionaries.get(id);
    if (values === undefined) throw corrupt('', `dictionary ${id} is missing`);
    return values;
  };
  if (message.isDictionaryBatch()) {
    const header = message.header();
    const type = imported.schema.dictionaries.get(header.id);
    if (type === undefined) throw corrupt('', `dictionary ${header.id} is not in the schema`);
    if (header.isDelta) throw corrupt('', 'delta dictionaries are not supported');
    dictionaries.set(header.id, readArrays([{ type }], { header: header.data, body }, lookUp)[0]!);
    return 0;
  }
  if (!message.isRecordBatch()) return 0;
  const header = message.header();
  if (header.compression !== null) throw corrupt('', 'a compressed batch reached the kernel');
  const rows = header.length;
  const arrays = readArrays(imported.schema.fields, { header, body }, lookUp);
  if (arrays.some((array) => array.length < rows))
    throw corrupt('', 'a column has fewer rows than the batch');
  for (let start = 0; start < rows; start += appender.chunkRows) {
    const count = Math.min(appender.chunkRows, rows - start);
    await appender.append(imported, ImportedBatch.slice(imported.schema, arrays, start, count));
  }
  return rows;
}

class Appender {
  readonly #connection: NativeConnection;
  readonly #slot = new NativeBlock(16);

  /** How many rows may be appended at once. */
  readonly chunkRows: number;

  constructor(connection: NativeConnection, table: string, chunkTypes: readonly KernelType[]) {
    this.#connection = connection;
    if (duckdb.appenderCreate(connection.handle, 'temp', 'main', table, this.#slot.at(0)) !== 0) this.#fail();
    const casts = chunkTypes.some(
      (type, i) =>
        JSON.stringify(type) !==
        JSON.stringify(takeLogicalType(duckdb.appenderColumnType(this.#slot.pointerAt(0), i))),
    );
    this.chunkRows = casts ? CAST_CHUNK_ROWS : CHUNK_ROWS;
  }

  async append(imported: ImportedSchema, batch: ImportedBatch): Promise<void> {
    this.#connection.checkInterrupt();
    const chunk = this.#slot.at(8);
    // `batch` is held until the chunk, which points into it, is gone.
    const { address } = batch;
    checkErrorData(
      await offLoop(batch, duckdb.chunkFromArrow, this.#connection.handle, address, imported.handle, chunk),
    );
    const failed = await offLoop(this, duckdb.appendChunk, this.#slot.pointerAt(0), this.#slot.pointerAt(8));
    duckdb.destroyChunk(chunk);
    batch.keepAlive();
    if (failed !== 0) this.#fail();
  }

  async close(): Promise<void> {
    if ((await offLoop(this, duckdb.appenderClose, this.#slot.pointerAt(0))) !== 0) this.#fail();
  }

  async destroy(): Promise<void> {
    await offLoop(this, duckdb.appenderDestroy, this.#slot.at(0));
  }

  #fail(): never {
    checkErrorData(duckdb.appenderError(this.#slot.pointerAt(0)));
    throw new Error('The kernel refused an append without a reason');
  }
}
