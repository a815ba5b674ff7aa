import { FieldNode } from 'apache-arrow/ipc/metadata/message';
import type { Field } from 'apache-arrow/schema';
import { DataType, type Dictionary } from 'apache-arrow/type';
import type { Pointer } from '../native/libc.ts';
import { memcpy } from '../native/library.ts';
import { NativeBlock } from '../native/memory.ts';
import type { ArrayData } from './array-data.ts';
import { ARRAY_AT, ARRAY_BYTES } from './c-structs.ts';
import { GrowingBitmap } from './growing-bitmap.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import { bufferCount, childrenOf, type Layout, layoutOf } from './layout.ts';
import type { TakenColumns } from './taken-columns.ts';

const MAX_BUFFERS = 3;
const EMPTY = new Uint8Array(0);

/**
 * Collects one column of native Arrow arrays (offset 0, as the kernel creates them) in growing buffers.
 * Children follow their parent. Offsets of variable-size types are shifted by the size of the data collected
 * before.
 */
export class ColumnBuilder {
  readonly #layout: Layout;
  readonly #children: ColumnBuilder[];
  readonly #dictionary: Dictionary | undefined;
  #dictionaryValues: ColumnBuilder | undefined;
  readonly #validity: GrowingBitmap | undefined;
  readonly #bits: GrowingBitmap | undefined;
  readonly #offsets: GrowingBuffer | undefined;
  readonly #data: GrowingBuffer | undefined;
  readonly #array = new NativeBlock(ARRAY_BYTES);
  readonly #buffers = new NativeBlock(MAX_BUFFERS * 8);
  readonly #childPointers: NativeBlock;
  #rows = 0;
  #nulls = 0;
  #hasValidity = false;

  constructor(field: Field) {
    const layout = layoutOf(field.type);
    if (layout === undefined) throw new Error(`Arrow type ${field.type} has no layout`);
    this.#layout = layout;
    this.#children = childrenOf(layout).map((child) => new ColumnBuilder(child));
    this.#childPointers = new NativeBlock(Math.max(1, this.#children.length) * 8);
    this.#dictionary = DataType.isDictionary(field.type) ? field.type : undefined;
    this.#validity = layout.kind === 'null' || layout.kind === 'union' ? undefined : new GrowingBitmap();
    this.#bits = layout.kind === 'bits' ? new GrowingBitmap() : undefined;
    this.#offsets = layout.kind === 'bytes' || layout.kind === 'list' ? new GrowingBuffer() : undefined;
    this.#data = layout.kind === 'fixed' ? new GrowingBuffer() : dataBuffer(layout);
  }

  get bytes(): number {
    let sum = (this.#data?.length ?? 0) + (this.#offsets?.length ?? 0) + (this.#rows >> 2);
    for (const child of this.#children) sum += child.bytes;
    return sum;
  }

  /** Appends the array at an address. */
  append(address: Pointer): void {
    memcpy(this.#array.address, address, ARRAY_BYTES);
    const array = this.#array.bytes;
    const rows = array.readUInt32LE(ARRAY_AT.length);
    const count = bufferCount(this.#layout);
    if (count > 0) memcpy(this.#buffers.address, array.readBigUInt64LE(ARRAY_AT.buffers), count * 8);
    this.#appendValidity(rows, array.readInt32LE(ARRAY_AT.nullCount));
    this.#appendOwn(rows);
    if (this.#children.length > 0) {
      memcpy(
        this.#childPointers.address,
        array.readBigUInt64LE(ARRAY_AT.children),
        this.#children.length * 8,
      );
      for (const [i, child] of this.#children.entries()) child.append(this.#childPointers.pointerAt(i * 8));
    }
    if (this.#dictionary !== undefined && this.#dictionaryValues === undefined) {
      this.#dictionaryValues = new ColumnBuilder({ type: this.#dictionary.dictionary } as Field);
      this.#dictionaryValues.append(array.readBigUInt64LE(ARRAY_AT.dictionary));
    }
    this.#rows += rows;
  }

  #appendValidity(rows: number, nullCount: number): void {
    if (this.#layout.kind === 'null') {
      this.#nulls += rows;
      return;
    }
    if (this.#validity === undefined) return;
    const from = this.#buffers.pointerAt(0);
    if (nullCount === 0 || from === 0n) {
      if (this.#hasValidity) this.#validity.appendOnes(rows);
      return;
    }
    if (!this.#hasValidity) {
      this.#hasValidity = true;
      this.#validity.appendOnes(this.#rows);
    }
    this.#validity.appendNative(from, rows);
    this.#nulls += nullCount;
  }

  #appendOwn(rows: number): void {
    const layout = this.#layout;
    switch (layout.kind) {
      case 'bits':
        this.#bits!.appendNative(this.#buffers.pointerAt(8), rows);
        return;
      case 'fixed':
        this.#data!.appendNative(this.#buffers.pointerAt(8), rows * layout.bytes);
        return;
      case 'bytes': {
        const added = this.#appendOffsets(rows, layout.offsetBytes, this.#data!.length);
        this.#data!.appendNative(this.#buffers.pointerAt(16), added);
        return;
      }
      case 'list':
        this.#appendOffsets(rows, layout.offsetBytes, this.#children[0]!.#rows);
        return;
      case 'union':
        this.#data!.appendNative(this.#buffers.pointerAt(0), rows);
        return;
    }
  }

  /** Appends offsets and returns the number of bytes or child rows that the new rows occupy. */
  #appendOffsets(rows: number, width: 4 | 8, base: number): number {
    const offsets = this.#offsets!;
    if (offsets.length === 0) {
      const first = offsets.grow(width);
      offsets.bytes.fill(0, first, first + width);
    }
    if (rows === 0) return 0;
    const at = offsets.appendNative(this.#buffers.pointerAt(8) + BigInt(width), rows * width);
    const { buffer, byteOffset } = offsets.bytes;
    if (width === 4) {
      const view = new Int32Array(buffer, byteOffset + at, rows);
      const added = view[rows - 1]!;
      if (base !== 0) for (let i = 0; i < rows; i++) view[i]! += base;
      return added;
    }
    const view = new BigInt64Array(buffer, byteOffset + at, rows);
    const added = Number(view[rows - 1]!);
    if (base !== 0) for (let i = 0; i < rows; i++) view[i]! += BigInt(base);
    return added;
  }

  /** Returns views of the collected buffers, which are valid until the builder is reset. */
  array(): ArrayData {
    const layout = this.#layout;
    if (this.#offsets !== undefined && this.#offsets.length === 0) {
      this.#appendOffsets(0, (layout as { offsetBytes: 4 | 8 }).offsetBytes, 0);
    }
    const own = [this.#bits?.buffer, this.#offsets, this.#data].flatMap((buffer) =>
      buffer === undefined ? [] : [buffer.written],
    );
    const validity = this.#hasValidity ? this.#validity!.buffer.written : EMPTY;
    return {
      layout,
      length: this.#rows,
      buffers: this.#validity === undefined ? own : [validity, ...own],
      children: this.#children.map((child) => child.array()),
    };
  }

  /** Discards the collected rows and keeps the memory for reuse. */
  reset(): void {
    this.#validity?.reset();
    this.#bits?.reset();
    this.#offsets?.reset();
    this.#data?.reset();
    this.#restart();
    for (const child of this.#children) child.reset();
  }

  #restart(): void {
    this.#rows = 0;
    this.#nulls = 0;
    this.#hasValidity = false;
  }

  /** Hands over the collected buffers, depth first, and starts empty. */
  take(into: TakenColumns): void {
    into.nodes.push(new FieldNode(this.#rows, this.#nulls));
    if (this.#validity !== undefined) {
      if (this.#hasValidity) into.add(this.#validity.buffer, this.#validity.take());
      else into.buffers.push(EMPTY);
    }
    if (this.#bits !== undefined) into.add(this.#bits.buffer, this.#bits.take());
    if (this.#offsets !== undefined) {
      if (this.#offsets.length === 0) {
        this.#appendOffsets(0, (this.#layout as { offsetBytes: 4 | 8 }).offsetBytes, 0);
      }
      into.add(this.#offsets, this.#offsets.take());
    }
    if (this.#data !== undefined) into.add(this.#data, this.#data.take());
    this.#restart();
    for (const child of this.#children) child.take(into);
  }

  /** The dictionaries of this column and its children, by id; complete after the first array. */
  *dictionaries(): Generator<{ id: number; values: ColumnBuilder; rows: number }> {
    if (this.#dictionary !== undefined && this.#dictionaryValues !== undefined) {
      yield { id: this.#dictionary.id, values: this.#dictionaryValues, rows: this.#dictionaryValues.#rows };
    }
    for (const child of this.#children) yield* child.dictionaries();
  }
}

function dataBuffer(layout: Layout): GrowingBuffer | undefined {
  if (layout.kind === 'bytes') return new GrowingBuffer();
  if (layout.kind === 'union') {
    if (layout.dense) throw new Error('The kernel makes no dense unions');
    return new GrowingBuffer();
  }
  return undefined;
}
