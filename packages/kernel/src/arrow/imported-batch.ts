import type { DataType, Schema } from 'apache-arrow';
import koffi from 'koffi';
import type { Pointer } from '../native/libc.ts';
import { NO_RELEASE } from '../native/library.ts';
import { NativeBlock } from '../native/memory.ts';
import type { ArrayData } from './array-data.ts';
import { ARRAY_AT, ARRAY_BYTES } from './c-structs.ts';
import { bufferCount, type Layout } from './layout.ts';
import { readArrays } from './read-arrays.ts';

const UNKNOWN = -1n;
const POINTER_BYTES = 8;
/** A run of rows starts at a multiple of this, so that it starts at a whole byte of every bitmap. */
const SLICE_GRANULE = 64;

/**
 * The arrays of a record batch as C structs over its bytes, which must stay alive as long as the kernel may
 * read them. The memory remains ours.
 */
export class ImportedBatch {
  readonly #arrays: readonly ArrayData[];
  /** All structs and lists of pointers, one after the other. */
  readonly #memory: NativeBlock;
  #used = 0;
  readonly address: Pointer;

  private constructor(schema: Schema, arrays: readonly ArrayData[], start: number, rows: number) {
    this.#arrays = arrays;
    this.#memory = new NativeBlock(structBytes({ kind: 'struct', children: schema.fields }, arrays));
    const root = this.#array(rows, { kind: 'struct', children: schema.fields }, []);
    this.#setChildren(
      root,
      arrays.map((array) => this.#slice(array, start, rows)),
    );
    this.address = this.#memory.at(root);
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
    return this.#memory.bytes.length + this.#arrays.length;
  }

  #slice(array: ArrayData, start: number, rows: number): Pointer {
    const { layout, buffers } = array;
    const pointers = buffers.map((buffer, i) => {
      if (buffer.length === 0) return 0n;
      return koffi.address(buffer) + BigInt(byteOffset(layout, i, start));
    });
    const at = this.#array(rows, layout, pointers);
    this.#setChildren(
      at,
      array.children.map((child) => this.#sliceChild(layout, child, start, rows)),
    );
    return this.#memory.at(at);
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

  /** Returns the offset of the struct in the memory. */
  #array(rows: number, layout: Layout, buffers: readonly Pointer[]): number {
    const count = bufferCount(layout);
    const at = this.#take(ARRAY_BYTES);
    const pointers = this.#take(count * POINTER_BYTES);
    const memory = this.#memory;
    for (const [i, pointer] of buffers.entries()) memory.setPointer(pointers + i * POINTER_BYTES, pointer);
    memory.setPointer(at + ARRAY_AT.length, BigInt(rows));
    memory.bytes.writeBigInt64LE(layout.kind === 'null' ? BigInt(rows) : UNKNOWN, at + ARRAY_AT.nullCount);
    memory.setPointer(at + ARRAY_AT.bufferCount, BigInt(count));
    memory.setPointer(at + ARRAY_AT.buffers, memory.at(pointers));
    memory.setPointer(at + ARRAY_AT.release, NO_RELEASE);
    return at;
  }

  #setChildren(at: number, children: readonly Pointer[]): void {
    const memory = this.#memory;
    const pointers = this.#take(children.length * POINTER_BYTES);
    for (const [i, child] of children.entries()) memory.setPointer(pointers + i * POINTER_BYTES, child);
    memory.setPointer(at + ARRAY_AT.childCount, BigInt(children.length));
    memory.setPointer(at + ARRAY_AT.children, memory.at(pointers));
  }

  #take(bytes: number): number {
    const at = this.#used;
    this.#used += bytes;
    return at;
  }
}

/** The bytes that the structs of an array and of its children take. */
function structBytes(layout: Layout, children: readonly ArrayData[]): number {
  const own = ARRAY_BYTES + (bufferCount(layout) + children.length) * POINTER_BYTES;
  return children.reduce((sum, child) => sum + structBytes(child.layout, child.children), own);
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
