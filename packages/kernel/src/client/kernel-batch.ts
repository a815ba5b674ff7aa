import { readMessage } from '../arrow/ipc.ts';
import { bufferIndexOfTextColumn } from './text-column.ts';

const PREFIX_BYTES = 8;

/** Rows of a result. */
export class KernelBatch {
  readonly rows: number;
  /**
   * An encapsulated Arrow RecordBatch message, or several of a `sorted` result; its start and its buffers are aligned
   * to 8 bytes.
   */
  readonly ipc: Uint8Array;
  readonly #schemaIpc: Uint8Array;
  readonly #payload: Buffer;
  readonly #giveBack: (payload: Buffer) => void;

  constructor(payload: Buffer, schemaIpc: Uint8Array, giveBack: (payload: Buffer) => void) {
    this.#payload = payload;
    this.#giveBack = giveBack;
    this.rows = payload.readUInt32LE(0);
    this.ipc = payload.subarray(PREFIX_BYTES);
    this.#schemaIpc = schemaIpc;
  }

  /**
   * Allows the memory to be reused for another batch. Nothing of this batch may be read afterwards. May be
   * called at most once.
   */
  release(): void {
    this.#giveBack(this.#payload);
  }

  /** The data buffer of VARCHAR column `i`: its values, concatenated. */
  textColumn(i: number): Uint8Array {
    const read = readMessage(this.ipc, 0);
    if (read === undefined || !read.message.isRecordBatch()) throw new Error('Not a record batch');
    const region = read.message.header().buffers[bufferIndexOfTextColumn(this.#schemaIpc, i)]!;
    return read.body.subarray(region.offset, region.offset + region.length);
  }
}
