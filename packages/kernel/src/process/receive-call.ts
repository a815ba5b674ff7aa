import { ImportedBatch } from '../arrow/imported-batch.ts';
import { ImportedSchema } from '../arrow/imported-schema.ts';
import type { NativeConnection } from '../native/connection.ts';
import { checkErrorData } from '../native/error-data.ts';
import { duckdb, type Pointer } from '../native/library.ts';
import { NativeBlock } from '../native/memory.ts';
import { RECEIVED_FUNCTION, type ReceivedRows } from '../native/received-rows.ts';
import { destroyChunk } from '../native/statement.ts';
import type { ReceivedRelation } from '../protocol/messages.ts';
import { quoteName, quoteText } from '../types/quoting.ts';
import { type AppendInput, appendPayloads } from './append-input.ts';
import { Appender } from './appender.ts';
import { type BatchSink, readBatches, readSchema } from './read-batches.ts';
import type { ReceivedMemory } from './received-memory.ts';

/** The maximum number of rows that a scan returns at once. */
const VECTOR_ROWS = 2048;

export interface ReceiveServices {
  readonly connection: NativeConnection;
  readonly received: ReceivedRows;
  readonly memory: ReceivedMemory;
}

/**
 * Makes the rows of the input readable: in place while memory suffices, otherwise all of them in a temp
 * table. Leaves nothing behind on failure.
 * @param name must be unique among the relations of the process
 */
export async function runReceive(
  services: ReceiveServices,
  name: string,
  schemaIpc: Uint8Array,
  input: AppendInput,
): Promise<ReceivedRelation> {
  const { connection, received } = services;
  const imported = ImportedSchema.read(connection.handle, readSchema(schemaIpc));
  const rows = new HeldRows(services, name, imported);
  try {
    const count = await readBatches(imported, input, rows);
    if (rows.table !== undefined) {
      await rows.table.close();
      return { rows: count, sql: `temp.main.${quoteName(name)}`, isTable: true };
    }
    const columns = imported.columns.map((column) => column.name);
    received.add(name, { columns, chunks: rows.chunks, rows: count, released: () => rows.free() });
    return { rows: count, sql: `${RECEIVED_FUNCTION}(${quoteText(name)})`, isTable: false };
  } catch (error) {
    await rows.abandon();
    throw error;
  } finally {
    imported.destroy();
  }
}

/**
 * Holds received rows as chunks of the kernel over the payloads that they arrived in; moves them to a table
 * if memory runs out.
 */
class HeldRows implements BatchSink {
  readonly #services: ReceiveServices;
  readonly #name: string;
  readonly #imported: ImportedSchema;
  /** The first chunk has no rows and carries the types. */
  readonly chunks: Pointer[] = [];
  readonly #batches: ImportedBatch[] = [];
  readonly #payloads: Buffer[] = [];
  #bytes = 0;
  table: Appender | undefined;

  constructor(services: ReceiveServices, name: string, imported: ImportedSchema) {
    this.#services = services;
    this.#name = name;
    this.#imported = imported;
    this.#hold(imported, ImportedBatch.empty(imported.schema));
  }

  get chunkRows(): number {
    return this.table?.chunkRows ?? VECTOR_ROWS;
  }

  async take(imported: ImportedSchema, batch: ImportedBatch): Promise<void> {
    if (this.table !== undefined) return this.table.take(imported, batch);
    this.#services.connection.checkInterrupt();
    this.#hold(imported, batch);
  }

  #hold(imported: ImportedSchema, batch: ImportedBatch): void {
    const slot = new NativeBlock(8);
    const { handle } = this.#services.connection;
    checkErrorData(duckdb.chunkFromArrow(handle, batch.address, imported.handle, slot.address));
    this.#batches.push(batch);
    this.chunks.push(slot.pointerAt(0));
  }

  async payloadRead(payload: Buffer): Promise<void> {
    if (this.table !== undefined) return this.table.payloadRead(payload);
    this.#payloads.push(payload);
    const bytes = payload.buffer.byteLength;
    if (this.#services.memory.take(bytes)) {
      this.#bytes += bytes;
      return;
    }
    this.table = await Appender.open(this.#services.connection, this.#name, this.#imported);
    for (const chunk of this.chunks.slice(1)) await this.table.append(chunk);
    this.#destroyChunks();
    this.free();
  }

  async abandon(): Promise<void> {
    await this.table?.abandon();
    this.#destroyChunks();
    this.free();
  }

  #destroyChunks(): void {
    for (const chunk of this.chunks.splice(0)) destroyChunk(chunk);
  }

  /** Must be called after the chunks were destroyed. */
  free(): void {
    for (const batch of this.#batches.splice(0)) batch.keepAlive();
    for (const payload of this.#payloads.splice(0)) appendPayloads.give(payload);
    this.#services.memory.give(this.#bytes);
    this.#bytes = 0;
  }
}
