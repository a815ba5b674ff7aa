import koffi from 'koffi';
import type { Pointer } from '../native/libc.ts';
import { memcpy } from '../native/library.ts';
import { allocate } from '../native/memory.ts';

const MIN_CAPACITY = 64;
/** A buffer that grew beyond this size for one batch is not kept for the next. */
const MAX_KEPT_CAPACITY = 4 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

/** Bytes at a stable address that grow by doubling; allocated on first use and reused when returned. */
export class GrowingBuffer {
  length = 0;
  #bytes: Buffer = EMPTY;
  #address: Pointer = 0n;
  #capacity = MIN_CAPACITY;
  #spare: Buffer | undefined;

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Returns a view of the bytes written so far. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  /** Empties the buffer and keeps its memory. */
  reset(): void {
    this.length = 0;
    if (this.#bytes.length > MAX_KEPT_CAPACITY) this.#bytes = EMPTY;
  }

  /** Makes room for `count` more bytes and counts them as written; returns the offset at which they begin. */
  grow(count: number): number {
    const at = this.length;
    this.length = at + count;
    if (this.length > this.#bytes.length) this.#replace(at);
    return at;
  }

  appendNative(from: Pointer, count: number): number {
    const at = this.grow(count);
    if (count > 0) memcpy(this.#address + BigInt(at), from, count);
    return at;
  }

  /** Hands over the written bytes and starts empty. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.length);
    this.#bytes = EMPTY;
    this.length = 0;
    return taken;
  }

  /** Takes back the memory that `take` handed over, once nobody reads it any more. */
  recycle(taken: Buffer): void {
    const bytes = Buffer.from(taken.buffer);
    if (bytes.length <= MAX_KEPT_CAPACITY) this.#spare = bytes;
  }

  #replace(used: number): void {
    const wanted = Math.max(this.length, this.#bytes.length === 0 ? this.#capacity : this.#bytes.length * 2);
    let bigger = this.#spare;
    this.#spare = undefined;
    if (bigger === undefined || bigger.length < wanted) bigger = allocate(wanted);
    bigger.set(this.#bytes.subarray(0, used));
    this.#bytes = bigger;
    this.#address = koffi.address(bigger);
    this.#capacity = Math.min(bigger.length, MAX_KEPT_CAPACITY);
  }
}
