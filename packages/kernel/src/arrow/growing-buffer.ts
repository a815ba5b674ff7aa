import koffi from 'koffi';
import { memcpy, type Pointer } from '../native/library.ts';

/** Bytes at a stable address that grow by doubling. `take` hands them over and starts anew at the same capacity. */
export class GrowingBuffer {
  length = 0;
  #bytes: Buffer;
  #address: Pointer;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
    this.#address = koffi.address(this.#bytes);
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Makes room for `count` more bytes and counts them as written; returns the offset at which they begin. */
  grow(count: number): number {
    const at = this.length;
    this.length = at + count;
    if (this.length > this.#bytes.length) {
      const bigger = Buffer.allocUnsafeSlow(Math.max(this.length, this.#bytes.length * 2));
      bigger.set(this.#bytes.subarray(0, at));
      this.#bytes = bigger;
      this.#address = koffi.address(bigger);
    }
    return at;
  }

  appendNative(from: Pointer, count: number): number {
    const at = this.grow(count);
    if (count > 0) memcpy(this.#address + BigInt(at), from, count);
    return at;
  }

  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.length);
    this.#bytes = Buffer.allocUnsafeSlow(this.#bytes.length);
    this.#address = koffi.address(this.#bytes);
    this.length = 0;
    return taken;
  }
}
