import type { ImportedBatch } from '../arrow/imported-batch.ts';
import type { ImportedSchema } from '../arrow/imported-schema.ts';
import type { NativeConnection } from '../native/connection.ts';
import { checkErrorData } from '../native/error-data.ts';
import { duckdb, offLoop } from '../native/library.ts';
import { takeLogicalType } from '../native/logical-type.ts';
import { NativeBlock } from '../native/memory.ts';
import { type KernelType, typeToSql } from '../types/kernel-type.ts';
import { quoteName } from '../types/quoting.ts';

const CHUNK_ROWS = 131_072;
/**
 * The appender casts into a chunk of the kernel's vector size, and writes past its end if there are more
 * rows.
 */
const CAST_CHUNK_ROWS = 2048;

/** A new temp table to which rows are appended. It must be closed or abandoned. */
export class Appender {
  readonly #connection: NativeConnection;
  readonly #table: string;
  readonly #slot = new NativeBlock(16);

  /** The maximum number of rows per append; a multiple of 64. */
  readonly chunkRows: number;

  static async open(
    connection: NativeConnection,
    table: string,
    { columns, chunkTypes }: ImportedSchema,
  ): Promise<Appender> {
    const definitions = columns.map((c) => `${quoteName(c.name)} ${columnType(c.type)}`);
    await connection.run(`CREATE TEMP TABLE ${quoteName(table)} (${definitions.join(', ')})`);
    return new Appender(connection, table, chunkTypes);
  }

  private constructor(connection: NativeConnection, table: string, chunkTypes: readonly KernelType[]) {
    this.#connection = connection;
    this.#table = table;
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
    // `batch` is kept alive until the chunk that points into it is destroyed.
    const { address } = batch;
    checkErrorData(
      await offLoop(batch, duckdb.chunkFromArrow, this.#connection.handle, address, imported.handle, chunk),
    );
    try {
      const appended = await offLoop(
        this,
        duckdb.appendChunk,
        this.#slot.pointerAt(0),
        this.#slot.pointerAt(8),
      );
      if (appended !== 0) this.#fail();
    } finally {
      duckdb.destroyChunk(chunk);
      batch.keepAlive();
    }
  }

  async close(): Promise<void> {
    const failed = (await offLoop(this, duckdb.appenderClose, this.#slot.pointerAt(0))) !== 0;
    if (failed) this.#fail();
    await offLoop(this, duckdb.appenderDestroy, this.#slot.at(0));
  }

  /** Drops the table, even if the call was interrupted. */
  async abandon(): Promise<void> {
    await offLoop(this, duckdb.appenderDestroy, this.#slot.at(0));
    this.#connection.endInterrupt();
    await this.#connection.run(`DROP TABLE temp.main.${quoteName(this.#table)}`);
  }

  #fail(): never {
    checkErrorData(duckdb.appenderError(this.#slot.pointerAt(0)));
    throw new Error('The kernel refused an append without a reason');
  }
}

/** A column of untyped NULLs gets an arbitrary type. */
const columnType = (type: KernelType): string => (type.id === 'NULL' ? 'INTEGER' : typeToSql(type));
