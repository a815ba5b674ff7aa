import { readMessage } from '../arrow/ipc.ts';
import { bufferIndexOfTextColumn } from './text-column.ts';

const PREFIX_BYTES = 8;

/** Rows of a result. */
export class KernelBatch {
  readonly rows: number;
  /** Encapsulated Arrow RecordBatch message, its start and its buffers aligned to 8 bytes. */
  readonly ipc: Uint8Array;
  readonly #schemaIpc: Uint8Array;

  constructor(payload: Buffer, schemaIpc: Uint8Array) {
    this.rows = payload.readUInt32LE(0);
    this.ipc = payload.subarray(PREFIX_BYTES);
    this.#schemaIpc = schemaIpc;
  }

  /** The data buffer of VARCHAR column `i`: its values, one after the other. */
  textColumn(i: number): Uint8Array {
    const read = readMessage(this.ipc, 0);
    if (read === undefined || !read.message.isRecordBatch()) throw new Error('Not a record batch');
    const region = read.message.header().buffers[bufferIndexOfTextColumn(this.#schemaIpc, i)]!;
    return read.body.subarray(region.offset, region.offset + region.length);
  }
}
