import type { Schema } from 'apache-arrow';
import { bufferOfBatch, readMessage } from '../arrow/ipc.ts';
import { bufferCount, childrenOf, layoutOf } from '../arrow/layout.ts';

/** Cached positions by schema, which the batches of a result share. */
const known = new WeakMap<Uint8Array, number[]>();

/** The index, among the buffers of a record batch, of the data of text column `i`. */
function bufferIndexOfTextColumn(schemaIpc: Uint8Array, i: number): number {
  let starts = known.get(schemaIpc);
  if (starts === undefined) {
    starts = columnStarts(schemaIpc);
    known.set(schemaIpc, starts);
  }
  const start = starts[i];
  if (start === undefined) throw new Error(`The result has no column ${i}`);
  return start + 2;
}

function columnStarts(schemaIpc: Uint8Array): number[] {
  const schema = readMessage(schemaIpc, 0)!.message.header() as Schema;
  let next = 0;
  return schema.fields.map((field) => {
    const start = next;
    next += buffersBelow(field.type);
    return start;
  });
}

function buffersBelow(type: Schema['fields'][number]['type']): number {
  const layout = layoutOf(type);
  if (layout === undefined) throw new Error(`Arrow type ${type} has no layout`);
  return childrenOf(layout).reduce((sum, child) => sum + buffersBelow(child.type), bufferCount(layout));
}

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
    return bufferOfBatch(this.ipc, bufferIndexOfTextColumn(this.#schemaIpc, i));
  }
}
