import type * as arrow from 'apache-arrow';
import type { DictionaryBatch, RecordBatch } from 'apache-arrow/ipc/metadata/message';
import {
  BATCH_BYTES,
  BATCH_ROWS,
  type ColumnBatch,
  type DecodedFile,
  DecodeError,
} from '../columns/column-batch.ts';
import { MemoryBudget, MemoryBudgetError } from '../columns/memory-budget.ts';
import { Body } from './body.ts';
import { type ColumnReader, ColumnReaders, columnFields } from './column-reader.ts';
import { Dictionaries } from './dictionary.ts';
import { MAX_BATCH_MEMORY_BYTES, MAX_ZERO_WIDTH_ROWS } from './limits.ts';
import { type IpcMessage, openIpc } from './messages.ts';
import { RandomAccessFile } from './random-access-file.ts';

/** Opens an Arrow IPC file or stream. Throws DecodeError or UnsupportedError, also while batches are read. */
export async function decodeArrow(path: string): Promise<DecodedFile> {
  const file = new RandomAccessFile(path);
  try {
    const { schema, messages } = openIpc(file);
    if (schema.fields.length === 0) throw new DecodeError('it has no columns');
    return { fields: columnFields(schema.fields), batches: new ArrowBatches(file, schema).read(messages) };
  } catch (error) {
    file.close();
    throw error;
  }
}

class ArrowBatches {
  readonly #file: RandomAccessFile;
  readonly #schema: arrow.Schema;
  readonly #dictionaries = new Dictionaries();
  readonly #budget = new MemoryBudget(MAX_BATCH_MEMORY_BYTES);
  #zeroWidthRows = 0;

  constructor(file: RandomAccessFile, schema: arrow.Schema) {
    this.#file = file;
    this.#schema = schema;
  }

  *read(messages: Iterable<IpcMessage>): Generator<ColumnBatch> {
    try {
      for (const message of messages) {
        try {
          const header = message.message.header();
          if (message.message.isRecordBatch()) yield* this.#batch(message, header as unknown as RecordBatch);
          else if (message.message.isDictionaryBatch()) {
            this.#dictionary(message, header as unknown as DictionaryBatch);
          } else throw new DecodeError('a second schema');
        } catch (error) {
          throw inMessage(error, message.start);
        }
      }
    } finally {
      this.#file.close();
    }
  }

  *#batch(message: IpcMessage, batch: RecordBatch): Generator<ColumnBatch> {
    const readers = this.#readers(message, batch);
    const columns = this.#schema.fields.map((field) => readers.take(field.type));
    const { length } = batch;
    if (!(length >= 0)) throw new DecodeError('its length is negative');
    if (message.bodyLength === 0) this.#zeroWidthRows += length;
    if (this.#zeroWidthRows > MAX_ZERO_WIDTH_ROWS)
      throw new DecodeError(`it claims ${length} rows without any data`);
    const rowBytes = message.bodyLength / Math.max(length, 1);
    const usual = Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_BYTES / Math.max(rowBytes, 1))));
    for (let from = 0; from < length; ) {
      const next = this.#slice(columns, from, Math.min(length - from, usual));
      yield next;
      from += next.rows;
    }
  }

  /** Returns fewer rows than requested if they are far larger than the average. */
  #slice(columns: readonly ColumnReader[], from: number, count: number): ColumnBatch {
    for (let rows = count; ; rows = Math.ceil(rows / 4)) {
      this.#budget.reset();
      try {
        return { rows, columns: columns.map((column) => column.slice(from, from + rows)) };
      } catch (error) {
        if (!(error instanceof MemoryBudgetError) || rows === 1) throw error;
      }
    }
  }

  #dictionary(message: IpcMessage, batch: DictionaryBatch): void {
    const type = this.#schema.dictionaries.get(batch.id);
    if (type === undefined) throw new DecodeError(`dictionary ${batch.id} is not in the schema`);
    const reader = this.#readers(message, batch.data).take(type);
    this.#budget.reset();
    this.#dictionaries.set(batch.id, reader.slice(0, reader.length), batch.isDelta);
  }

  #readers(message: IpcMessage, batch: RecordBatch): ColumnReaders {
    const body = new Body(this.#file, message, batch, this.#budget);
    return new ColumnReaders(batch, body, this.#dictionaries, this.#budget);
  }
}

function inMessage(error: unknown, start: number): unknown {
  if (!(error instanceof DecodeError)) return error;
  return new DecodeError(`the message at byte ${start}: ${error.message}`, { cause: error });
}
