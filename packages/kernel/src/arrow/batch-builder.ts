import type { Schema } from 'apache-arrow';
import koffi from 'koffi';
import { checkErrorData } from '../native/error-data.ts';
import { duckdb, memcpy, type Pointer } from '../native/library.ts';
import { NativeBlock } from '../native/memory.ts';
import { PayloadPool } from '../protocol/payload-pool.ts';
import { ARRAY_AT, ARRAY_BYTES } from './c-structs.ts';
import { ColumnBuilder } from './column-builder.ts';
import { batchMessage, messageOf } from './ipc.ts';
import { sortedOrder } from './sorted-order.ts';
import { takeRows } from './take-rows.ts';
import { TakenColumns } from './taken-columns.ts';

/** Memory for sorted rows, shared by all results of the process. */
const sortedRows = new PayloadPool();

const RELEASE = koffi.proto('void tessera_arrow_array_release(void *array)');

/** Turns chunks of the kernel into Arrow record batches. */
export class BatchBuilder {
  readonly #options: Pointer;
  readonly #columns: ColumnBuilder[];
  readonly #array = new NativeBlock(ARRAY_BYTES);
  readonly #children: NativeBlock;
  readonly #chunk = new NativeBlock(8);
  rows = 0;

  constructor(arrowOptions: Pointer, schema: Schema) {
    this.#options = arrowOptions;
    this.#columns = schema.fields.map((field) => new ColumnBuilder(field));
    this.#children = new NativeBlock(Math.max(1, this.#columns.length) * 8);
  }

  get bytes(): number {
    let sum = 0;
    for (const column of this.#columns) sum += column.bytes;
    return sum;
  }

  /** Copies the chunk's rows and destroys it. */
  add(chunk: Pointer): void {
    try {
      checkErrorData(duckdb.chunkToArrow(this.#options, chunk, this.#array.address));
    } finally {
      this.#chunk.setPointer(0, chunk);
      duckdb.destroyChunk(this.#chunk.address);
    }
    const array = this.#array.bytes;
    try {
      memcpy(this.#children.address, array.readBigUInt64LE(ARRAY_AT.children), this.#columns.length * 8);
      for (let i = 0; i < this.#columns.length; i++)
        this.#columns[i]!.append(this.#children.pointerAt(i * 8));
      this.rows += array.readUInt32LE(ARRAY_AT.length);
    } finally {
      koffi.call(array.readBigUInt64LE(ARRAY_AT.release), RELEASE, this.#array.address);
    }
  }

  /**
   * The collected rows as the parts of one encapsulated RecordBatch message; `recycle` must be called after
   * they have been sent.
   */
  take(): { rows: number; message: Uint8Array[]; recycle: () => void } {
    const rows = this.rows;
    const taken = new TakenColumns();
    for (const column of this.#columns) column.take(taken);
    this.rows = 0;
    return { rows, message: batchMessage({ rows, ...taken }), recycle: () => taken.recycle() };
  }

  /**
   * Like `take`, with the rows sorted by the last column, a USMALLINT. Rows with equal values keep their
   * order.
   */
  takeSorted(): { rows: number; message: Uint8Array[]; recycle: () => void } {
    const arrays = this.#columns.map((column) => column.array());
    const [, keys] = arrays.at(-1)!.buffers as [Uint8Array, Uint8Array];
    const order = sortedOrder(new Uint16Array(keys.buffer, keys.byteOffset, this.rows));
    if (order === undefined) return this.take();
    const allocated: Buffer[] = [];
    const allocate = (bytes: number) => {
      const buffer = sortedRows.take(bytes);
      allocated.push(buffer);
      return buffer;
    };
    const message = messageOf(
      this.rows,
      arrays.map((array) => takeRows(array, order, allocate)),
    );
    const { rows } = this;
    for (const column of this.#columns) column.reset();
    this.rows = 0;
    const recycle = () => {
      for (const buffer of allocated) sortedRows.give(buffer);
    };
    return { rows, message, recycle };
  }

  /** One encapsulated DictionaryBatch message per dictionary-encoded column. */
  dictionaryMessages(): Uint8Array[] {
    return this.#columns.flatMap((column) =>
      [...column.dictionaries()].flatMap(({ id, values, rows }) => {
        const taken = new TakenColumns();
        values.take(taken);
        return batchMessage({ rows, ...taken }, id);
      }),
    );
  }
}
