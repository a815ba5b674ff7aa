import type { DataType, Schema } from 'apache-arrow';
import koffi from 'koffi';
import { NO_RELEASE, type Pointer } from '../native/library.ts';
import { NativeBlock } from '../native/memory.ts';
import type { ArrayData } from './array-data.ts';
import { ARRAY_AT, ARRAY_BYTES } from './c-structs.ts';
import { bufferCount, type Layout } from './layout.ts';
import { readArrays } from './read-arrays.ts';

const UNKNOWN = -1n;
/** A run of rows starts at a multiple of this, so that it starts at a whole byte of every bitmap. */
const SLICE_GRANULE = 64;

/**
 * The arrays of a record batch as C structs over its bytes, which must stay alive as long as the kernel may
 * read them. The memory remains ours.
 */
export class ImportedBatch {
  readonly #kept: NativeBlock[] = [];
  readonly #arrays: readonly ArrayData[];
  readonly address: Pointer;

  private constructor(schema: Schema, arrays: readonly ArrayData[], start: number, rows: number) {
    this.#arrays = arrays;
    const root = this.#array(rows, { kind: 'struct', children: schema.fields }, []);
    this.#setChildren(
      root,
      arrays.map((array) => this.#slice(array, start, rows)),
    );
    this.address = root.address;
  }

  /** Rows `start` to `start + rows` of the batch; `start` is a multiple of 64. */
  static slice(schema: Schema, arrays: readonly ArrayData[], start: number, rows: number): ImportedBatch {
    if (start % SLICE_GRANULE !== 0) throw new Error(`A slice cannot start at row ${start}`);
    return new ImportedBatch(schema, arrays, start, rows);
  }

  static empty(schema: Schema): ImportedBatch {
    return new ImportedBatch(
      schema,
      schema.fields.map((field) => emptyArray(field.type)),
      0,
      0,
    );
  }

  /**
   * Must be called after the last use of the structs, so that neither they nor the bytes are collected
   * before.
   */
  keepAlive(): number {
    return this.#kept.length + this.#arrays.length;
  }

  #slice(array: ArrayData, start: number, rows: number): Pointer {
    const { layout, buffers } = array;
    const pointers = buffers.map((buffer, i) => {
      if (buffer.length === 0) return 0n;
      return koffi.address(buffer) + BigInt(byteOffset(layout, i, start));
    });
    const block = this.#array(rows, layout, pointers);
    this.#setChildren(
      block,
      array.children.map((child) => this.#sliceChild(layout, child, start, rows)),
    );
    return block.address;
  }

  #sliceChild(layout: Layout, child: ArrayData, start: number, rows: number): Pointer {
    switch (layout.kind) {
      case 'struct':
        return this.#slice(child, start, rows);
      case 'fixedList':
        return this.#slice(child, start * layout.size, rows * layout.size);
      case 'union':
        return layout.dense ? this.#slice(child, 0, child.length) : this.#slice(child, start, rows);
      default:
        return this.#slice(child, 0, child.length);
    }
  }

  #array(rows: number, layout: Layout, buffers: readonly Pointer[]): NativeBlock {
    const block = this.#block(ARRAY_BYTES);
    const count = bufferCount(layout);
    const pointers = this.#block(Math.max(1, count) * 8);
    for (const [i, pointer] of buffers.entries()) pointers.setPointer(i * 8, pointer);
    block.setPointer(ARRAY_AT.length, BigInt(rows));
    block.bytes.writeBigInt64LE(layout.kind === 'null' ? BigInt(rows) : UNKNOWN, ARRAY_AT.nullCount);
    block.setPointer(ARRAY_AT.bufferCount, BigInt(count));
    block.setPointer(ARRAY_AT.buffers, pointers.address);
    block.setPointer(ARRAY_AT.release, NO_RELEASE);
    return block;
  }

  #setChildren(block: NativeBlock, children: readonly Pointer[]): void {
    const pointers = this.#block(Math.max(1, children.length) * 8);
    for (const [i, child] of children.entries()) pointers.setPointer(i * 8, child);
    block.setPointer(ARRAY_AT.childCount, BigInt(children.length));
    block.setPointer(ARRAY_AT.children, pointers.address);
  }

  #block(size: number): NativeBlock {
    const block = new NativeBlock(size);
    this.#kept.push(block);
    return block;
  }
}

/** The offset of row `start` in buffer `i` of an array. */
function byteOffset(layout: Layout, i: number, start: number): number {
  if (layout.kind === 'union') return i === 0 ? start : start * 4;
  if (i === 0) return start / 8;
  switch (layout.kind) {
    case 'bits':
      return start / 8;
    case 'fixed':
      return start * layout.bytes;
    case 'bytes':
      return i === 1 ? start * layout.offsetBytes : 0;
    case 'list':
      return start * layout.offsetBytes;
    default:
      return 0;
  }
}

function emptyArray(type: DataType): ArrayData {
  return readArrays([{ type }], undefined, (type) => emptyArray(type.dictionary))[0]!;
}
