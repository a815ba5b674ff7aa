import type { Pointer } from '../native/libc.ts';
import { memcpy } from '../native/library.ts';
import { allocate } from '../native/memory.ts';
import { GrowingBuffer } from './growing-buffer.ts';

const EMPTY = Buffer.alloc(0);

/** A bitmap, least significant bit first, to which runs of bits can be appended at any bit position. */
export class GrowingBitmap {
  readonly buffer = new GrowingBuffer();
  #source = EMPTY;
  bits = 0;

  appendOnes(count: number): void {
    this.#append(count, undefined);
  }

  appendNative(from: Pointer, count: number): void {
    const bytes = (count + 7) >> 3;
    if (bytes > this.#source.length) this.#source = allocate(bytes);
    if (bytes > 0) memcpy(this.#source, from, bytes);
    this.#append(count, this.#source);
  }

  /** Appends `count` bits of `source`, or ones if there is no source. */
  #append(count: number, source: Uint8Array | undefined): void {
    const start = this.bits;
    this.bits = start + count;
    this.buffer.grow(((this.bits + 7) >> 3) - this.buffer.length);
    const target = this.buffer.bytes;
    const bytes = (count + 7) >> 3;
    const shift = start & 7;
    const first = start >> 3;
    if (shift === 0) {
      if (source === undefined) target.fill(0xff, first, first + bytes);
      else target.set(source.subarray(0, bytes), first);
      return;
    }
    const last = this.buffer.length - 1;
    let carry = target[first]! & ((1 << shift) - 1);
    for (let i = 0; i < bytes; i++) {
      const byte = source === undefined ? 0xff : source[i]!;
      target[first + i] = carry | (byte << shift);
      carry = byte >> (8 - shift);
    }
    if (first + bytes <= last) target[first + bytes] = carry;
  }

  /** Empties the bitmap and keeps its memory. */
  reset(): void {
    this.bits = 0;
    this.buffer.reset();
  }

  take(): Buffer {
    this.bits = 0;
    return this.buffer.take();
  }
}
