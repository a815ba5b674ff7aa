import { isAscii, isUtf8 } from 'node:buffer';
import { Type } from 'apache-arrow/enum';
import type { RecordBatch as RecordBatchHeader } from 'apache-arrow/ipc/metadata/message';
import type { Field } from 'apache-arrow/schema';
import { DataType, type Dictionary } from 'apache-arrow/type';
import type { ArrayData } from './array-data.ts';
import { corrupt } from './corrupt-batch.ts';
import { decodeDictionary } from './decoded-dictionary.ts';
import { bufferCount, childrenOf, layoutOf } from './layout.ts';

interface BatchBytes {
  readonly header: Pick<RecordBatchHeader, 'nodes' | 'buffers'>;
  readonly body: Uint8Array;
}
type Typed = Pick<Field, 'type'> & { readonly name?: string };
const EMPTY = new Uint8Array(0);

/**
 * Reads the columns of a record batch and resolves dictionaries; without a batch, returns columns without
 * rows. Throws if the batch is corrupt.
 */
export function readArrays(
  fields: readonly Typed[],
  batch: BatchBytes | undefined,
  dictionary: (type: Dictionary) => ArrayData,
): ArrayData[] {
  return new BatchReader(batch, dictionary).columns(fields);
}

/**
 * Reads the columns of a record batch that one of our own kernel processes created. It only checks that the
 * batch is complete, and leaves dictionary-encoded columns as they are.
 */
export const readTrustedArrays = (fields: readonly Typed[], batch: BatchBytes): ArrayData[] =>
  new BatchReader(batch, undefined).columns(fields);

class BatchReader {
  readonly #batch: BatchBytes | undefined;
  readonly #dictionary: ((type: Dictionary) => ArrayData) | undefined;
  #node = 0;
  #buffer = 0;

  /** @param dictionary undefined for a trusted batch */
  constructor(batch: BatchBytes | undefined, dictionary: ((type: Dictionary) => ArrayData) | undefined) {
    this.#batch = batch;
    this.#dictionary = dictionary;
  }

  columns(fields: readonly Typed[]): ArrayData[] {
    return fields.map((field) => this.#read(field.type, field.name ?? ''));
  }

  #read(type: DataType, column: string): ArrayData {
    const layout = layoutOf(type);
    if (layout === undefined) throw corrupt(column, `the Arrow type ${type} is not supported`);
    const length = this.#nextLength(column);
    const buffers = Array.from({ length: bufferCount(layout) }, () => this.#nextBuffer(column));
    const children = childrenOf(layout).map((child) => this.#read(child.type, column));
    const array: ArrayData = { layout, length, buffers, children };
    if (this.#dictionary === undefined) return array;
    if (length > 0) check(array, type, column);
    return DataType.isDictionary(type) ? decodeDictionary(array, this.#dictionary(type), column) : array;
  }

  #nextLength(column: string): number {
    if (this.#batch === undefined) return 0;
    const node = this.#batch.header.nodes[this.#node++];
    if (node === undefined || node.length < 0) throw corrupt(column, 'a length is missing');
    return node.length;
  }

  #nextBuffer(column: string): Uint8Array {
    if (this.#batch === undefined) return EMPTY;
    const region = this.#batch.header.buffers[this.#buffer++];
    if (region === undefined) throw corrupt(column, 'a buffer is missing');
    const { offset, length } = region;
    if (offset < 0 || length < 0 || offset + length > this.#batch.body.length) {
      throw corrupt(column, 'a buffer lies outside of its message');
    }
    return aligned(this.#batch.body.subarray(offset, offset + length));
  }
}

/** Copies bytes that are not aligned, because the kernel reads values at their natural alignment. */
const aligned = (bytes: Uint8Array): Uint8Array => {
  if (bytes.byteOffset % 8 === 0) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
};

function check(array: ArrayData, type: DataType, column: string): void {
  const { layout, length, buffers, children } = array;
  const need = (i: number, bytes: number) => {
    if (buffers[i]!.length < bytes)
      throw corrupt(column, `a buffer is ${bytes - buffers[i]!.length} bytes short`);
  };
  const bitmapBytes = Math.ceil(length / 8);
  if (layout.kind !== 'null' && layout.kind !== 'union' && buffers[0]!.length > 0) need(0, bitmapBytes);
  switch (layout.kind) {
    case 'bits':
      need(1, bitmapBytes);
      return;
    case 'fixed':
      need(1, length * layout.bytes);
      return;
    case 'bytes': {
      need(1, (length + 1) * layout.offsetBytes);
      checkOffsets(buffers[1]!, layout.offsetBytes, length, buffers[2]!.length, column);
      if (type.typeId === Type.Utf8 || type.typeId === Type.LargeUtf8)
        checkText(array, layout.offsetBytes, column);
      return;
    }
    case 'list':
      need(1, (length + 1) * layout.offsetBytes);
      checkOffsets(buffers[1]!, layout.offsetBytes, length, children[0]!.length, column);
      return;
    case 'fixedList':
      if (children[0]!.length < length * layout.size)
        throw corrupt(column, 'the values of a fixed-size list are short');
      return;
    case 'struct':
      if (children.some((child) => child.length < length))
        throw corrupt(column, 'a field of a struct is short');
      return;
    case 'union':
      if (layout.dense) throw corrupt(column, 'dense unions are not supported');
      need(0, length);
      if (children.some((child) => child.length < length))
        throw corrupt(column, 'a member of a union is short');
      if (buffers[0]!.subarray(0, length).some((id) => id >= children.length)) {
        throw corrupt(column, 'a union has an unknown member');
      }
      return;
  }
}

function checkOffsets(bytes: Uint8Array, width: 4 | 8, length: number, end: number, column: string): void {
  const offsets = offsetsOf(bytes, width, length + 1);
  let last = 0;
  for (let i = 0; i <= length; i++) {
    const offset = Number(offsets[i]!);
    if (offset < last) throw corrupt(column, `the offsets run backwards at row ${i}`);
    last = offset;
  }
  if (last > end) throw corrupt(column, 'the offsets point past the data');
}

/** The concatenation is valid UTF-8 and no value begins within a character, so every value is valid. */
function checkText(array: ArrayData, width: 4 | 8, column: string): void {
  const offsets = offsetsOf(array.buffers[1]!, width, array.length + 1);
  const data = array.buffers[2]!;
  const first = Number(offsets[0]!);
  const text = data.subarray(first, Number(offsets[array.length]!));
  if (isAscii(text)) return;
  if (!isUtf8(text)) throw corrupt(column, 'a text is not valid UTF-8');
  for (let i = 0; i < array.length; i++) {
    const at = Number(offsets[i]!);
    if (at - first < text.length && (data[at]! & 0xc0) === 0x80)
      throw corrupt(column, `row ${i}: not valid UTF-8`);
  }
}

const offsetsOf = (bytes: Uint8Array, width: 4 | 8, count: number): Int32Array | BigInt64Array =>
  width === 4
    ? new Int32Array(bytes.buffer, bytes.byteOffset, count)
    : new BigInt64Array(bytes.buffer, bytes.byteOffset, count);
