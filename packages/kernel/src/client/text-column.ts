import type { Schema } from 'apache-arrow';
import { readMessage } from '../arrow/ipc.ts';
import { bufferCount, childrenOf, layoutOf } from '../arrow/layout.ts';

/** Cached positions by schema, which the batches of a result share. */
const known = new WeakMap<Uint8Array, number[]>();

/** The index, among the buffers of a record batch, of the data of text column `i`. */
export function bufferIndexOfTextColumn(schemaIpc: Uint8Array, i: number): number {
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
