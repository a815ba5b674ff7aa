import { HASH_BUCKETS } from '@tessera/common';
import type { Schema } from 'apache-arrow';
import koffi from 'koffi';
import { checkErrorData } from '../native/error-data.ts';
import type { Pointer } from '../native/libc.ts';
import { duckdb, memcpy } from '../native/library.ts';
import { NativeBlock } from '../native/memory.ts';
import { PayloadPool } from '../protocol/payload-pool.ts';
import { ARRAY_AT, ARRAY_BYTES } from './c-structs.ts';
import { ColumnBuilder } from './column-builder.ts';
import { cutRows } from './cut-rows.ts';
import { batchMessage, messageOf } from './ipc.ts';
import { takeRows } from './take-rows.ts';
import { TakenColumns } from './taken-columns.ts';

/** Memory for the order of rows, used by one batch at a time: fresh memory for each would cost more than sorting it. */
let positions = new Uint32Array(0);

/**
 * The positions of hash buckets in ascending order of the buckets; equal ones keep their order.
 * @returns undefined if they are already sorted; otherwise valid until the next call
 */
function sortedOrder(values: Uint16Array): Uint32Array | undefined {
  if (isSorted(values)) return undefined;
  const next = new Uint32Array(HASH_BUCKETS + 1);
  for (let i = 0; i < values.length; i++) next[values[i]! + 1]!++;
  for (let value = 1; value < next.length; value++) next[value]! += next[value - 1]!;
  if (positions.length < values.length) positions = new Uint32Array(values.length);
  const order = positions.subarray(0, values.length);
  for (let i = 0; i < values.length; i++) order[next[values[i]!]!++] = i;
  return order;
}

function isSorted(values: Uint16Array): boolean {
  for (let i = 1; i < values.length; i++) if (values[i]! < values[i - 1]!) return false;
  return true;
}

/** A piece is at least about this large: small ones cost more per row. */
const MIN_PIECE_BYTES = 128 * 1024;
const MAX_PIECES = 16;

/**
 * Where pieces of sorted rows begin, each with the rows of a range of hash buckets; ranges are equally wide, and pieces are not
 * empty.
 *
 * @param values hash buckets, at the positions that `order` gives
 */
function pieceStarts(values: Uint16Array, order: Uint32Array, bytes: number): number[] {
  const wanted = Math.min(MAX_PIECES, Math.floor(bytes / MIN_PIECE_BYTES));
  // A power of two, so that the buckets of 2, 4, … consumers are whole pieces.
  const pieces = 2 ** Math.floor(Math.log2(Math.max(1, wanted)));
  const starts = [0];
  for (let piece = 1; piece < pieces; piece++) {
    const start = firstAtLeast(values, order, (piece * HASH_BUCKETS) / pieces);
    if (start > starts.at(-1)! && start < order.length) starts.push(start);
  }
  return starts;
}

/** The first position in the order whose value is not less than `value`. */
function firstAtLeast(values: Uint16Array, order: Uint32Array, value: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[order[middle]!]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

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
   * Like `take`, with the rows sorted by the last column, the hash bucket of the row (a USMALLINT). Rows with equal
   * values keep their order. The rows come as one or several encapsulated RecordBatch messages, each with a range of
   * buckets, so that most readers of some buckets need not cut messages.
   */
  takeSorted(): { rows: number; message: Uint8Array[]; recycle: () => void } {
    const arrays = this.#columns.map((column) => column.array());
    const [, data] = arrays.at(-1)!.buffers as [Uint8Array, Uint8Array];
    const keys = new Uint16Array(data.buffer, data.byteOffset, this.rows);
    const order = sortedOrder(keys);
    if (order === undefined) return this.take();
    const allocated: Buffer[] = [];
    const allocate = (bytes: number) => {
      const buffer = sortedRows.take(bytes);
      allocated.push(buffer);
      return buffer;
    };
    const starts = pieceStarts(keys, order, this.bytes);
    const sorted = arrays.map((array) => takeRows(array, order, allocate));
    const { rows } = this;
    const parts = starts.flatMap((from, i) => {
      const to = starts[i + 1] ?? rows;
      return messageOf(
        to - from,
        sorted.map((array) => cutRows(array, from, to)),
      );
    });
    const message = joined(parts);
    for (const buffer of allocated) sortedRows.give(buffer);
    for (const column of this.#columns) column.reset();
    this.rows = 0;
    return { rows, message: [message], recycle: () => sortedRows.give(message) };
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

/** One write of many bytes costs less than many writes of few. */
function joined(parts: readonly Uint8Array[]): Buffer {
  const whole = sortedRows.take(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
