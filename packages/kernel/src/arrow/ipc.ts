import type { Schema } from 'apache-arrow';
import {
  BufferRegion,
  DictionaryBatch,
  FieldNode,
  Message,
  RecordBatch as RecordBatchHeader,
} from 'apache-arrow/ipc/metadata/message';
import type { ArrayData } from './array-data.ts';

/** An encapsulated message: 0xFFFFFFFF, i32 metadata length, metadata padded to 8, body. */
const PREFIX_BYTES = 8;
const CONTINUATION = 0xffffffff;
const PADDING = Buffer.alloc(8);

const padTo8 = (bytes: number): number => (bytes + 7) & ~7;

export function schemaMessage(schema: Schema): Buffer {
  return Buffer.concat(frame(Message.encode(Message.from(schema))));
}

/** The lengths and buffers of a record batch, in depth-first order of the fields. */
export interface BatchParts {
  readonly rows: number;
  readonly nodes: FieldNode[];
  readonly buffers: Uint8Array[];
}

/** The message as a list of buffers, without copying the body. With an id, it is a dictionary batch. */
export function batchMessage(parts: BatchParts, dictionaryId?: number): Uint8Array[] {
  const regions: BufferRegion[] = [];
  const body: Uint8Array[] = [];
  let offset = 0;
  for (const buffer of parts.buffers) {
    regions.push(new BufferRegion(offset, buffer.length));
    if (buffer.length > 0) body.push(buffer);
    const padded = padTo8(buffer.length);
    if (padded > buffer.length) body.push(PADDING.subarray(0, padded - buffer.length));
    offset += padded;
  }
  const batch = new RecordBatchHeader(parts.rows, parts.nodes, regions, null);
  const header = dictionaryId === undefined ? batch : new DictionaryBatch(batch, dictionaryId);
  return [...frame(Message.encode(Message.from(header, offset))), ...body];
}

/** The message of a batch of the given columns. */
export function messageOf(rows: number, columns: readonly ArrayData[]): Uint8Array[] {
  const nodes: FieldNode[] = [];
  const buffers: Uint8Array[] = [];
  const add = ({ layout, length, buffers: own, children }: ArrayData) => {
    const hasValidity = layout.kind !== 'null' && layout.kind !== 'union' && own[0]!.length > 0;
    nodes.push(new FieldNode(length, hasValidity ? zeroBits(own[0]!, length) : 0));
    buffers.push(...own);
    for (const child of children) add(child);
  };
  for (const column of columns) add(column);
  return batchMessage({ rows, nodes, buffers });
}

/** The number of zero bits among the first `length` bits. */
function zeroBits(bits: Uint8Array, length: number): number {
  let ones = 0;
  for (let i = 0; i < length; i++) ones += (bits[i >> 3]! >> (i & 7)) & 1;
  return length - ones;
}

function frame(metadata: Uint8Array): Uint8Array[] {
  const padded = padTo8(metadata.length);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(CONTINUATION, 0);
  prefix.writeInt32LE(padded, 4);
  return [prefix, metadata, PADDING.subarray(0, padded - metadata.length)];
}

/**
 * The bytes of buffer `index` of the record batch message that begins the bytes. It reads the four tables on the way
 * to the buffer and nothing else, because the results of short queries are small.
 */
export function bufferOfBatch(ipc: Uint8Array, index: number): Uint8Array {
  const view = new DataView(ipc.buffer, ipc.byteOffset, ipc.byteLength);
  /** The position of a field of a table; the format is that of FlatBuffers. */
  const field = (table: number, number: number): number => {
    const vtable = table - view.getInt32(table, true);
    const offset = view.getUint16(vtable + 4 + 2 * number, true);
    if (offset === 0) throw new Error('Not a record batch');
    return table + offset;
  };
  const follow = (at: number): number => at + view.getUint32(at, true);
  const message = follow(PREFIX_BYTES);
  if (view.getUint8(field(message, MESSAGE_KIND)) !== RECORD_BATCH) throw new Error('Not a record batch');
  const buffers = follow(field(follow(field(message, MESSAGE_CONTENT)), BATCH_BUFFERS));
  const region = buffers + 4 + BUFFER_BYTES * index;
  const body = PREFIX_BYTES + view.getInt32(4, true);
  const start = body + Number(view.getBigInt64(region, true));
  return ipc.subarray(start, start + Number(view.getBigInt64(region + 8, true)));
}

const MESSAGE_KIND = 1;
const MESSAGE_CONTENT = 2;
const BATCH_BUFFERS = 2;
/** The value of `MessageHeader` in Arrow's format. */
const RECORD_BATCH = 3;
const BUFFER_BYTES = 16;

export interface IpcMessage {
  readonly message: Message;
  readonly body: Uint8Array;
  /** The offset at which the next message begins. */
  readonly end: number;
}

/**
 * Reads the encapsulated message at `start`; undefined at the end-of-stream mark or at the end of the bytes.
 */
export function readMessage(bytes: Uint8Array, start: number): IpcMessage | undefined {
  if (start + PREFIX_BYTES > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const metadataLength = view.getInt32(start + 4, true);
  if (view.getUint32(start, true) !== CONTINUATION || metadataLength < 0)
    throw new Error('not an Arrow IPC message');
  if (metadataLength === 0) return undefined;
  const bodyStart = start + PREFIX_BYTES + metadataLength;
  if (bodyStart > bytes.length) throw new Error('truncated Arrow IPC message');
  const message = Message.decode(bytes.subarray(start + PREFIX_BYTES, bodyStart));
  const end = bodyStart + padTo8(message.bodyLength);
  if (bodyStart + message.bodyLength > bytes.length) throw new Error('truncated Arrow IPC message');
  return { message, body: bytes.subarray(bodyStart, bodyStart + message.bodyLength), end };
}
