import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DecodeError } from '../columns/column-batch.ts';

const CHUNK_BYTES = 1 << 20;

/** Bytes that are read from front to back. */
export class SequentialBytes {
  readonly sizeBytes: number;
  #chunk: Buffer;
  #at = 0;
  #chunkStart = 0;

  /** @param chunk the first bytes */
  constructor(chunk: Buffer, sizeBytes = chunk.length) {
    this.#chunk = chunk;
    this.sizeBytes = sizeBytes;
  }

  /** The offset of the next byte in the file. */
  get position(): number {
    return this.#chunkStart + this.#at;
  }

  get remaining(): number {
    return this.sizeBytes - this.position;
  }

  /** Returns the next `size` bytes, which stay valid. Throws DecodeError if the file ends before. */
  take(size: number): Buffer {
    if (size > this.remaining) {
      throw new DecodeError(
        `the file ends at byte ${this.sizeBytes}, ${size - this.remaining} bytes before the end of what begins at byte ${this.position}`,
      );
    }
    if (this.#chunk.length - this.#at < size) {
      const start = this.position;
      this.#chunk = this.more(size);
      this.#chunkStart = start;
      this.#at = 0;
    }
    const taken = this.#chunk.subarray(this.#at, this.#at + size);
    this.#at += size;
    return taken;
  }

  /**
   * Reads a zigzag variable-length integer, which must be 0 … 2^53, or with `signed` may also be negative.
   */
  takeLong(signed = false): number {
    const start = this.position;
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.take(1)[0]!;
      value += (byte & 0x7f) * factor;
      if (!(byte & 0x80)) break;
      if (factor > 2 ** 49) throw new DecodeError(`an absurdly large number at byte ${start}`);
    }
    const number = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    if (!Number.isSafeInteger(number)) throw new DecodeError(`an absurdly large number at byte ${start}`);
    if (number < 0 && !signed) throw new DecodeError(`a negative number at byte ${start}`);
    return number;
  }

  /** At least `size` bytes from the current position on. */
  protected more(_size: number): Buffer {
    throw new Error('All bytes are in the first chunk');
  }
}

/** Reads a file from front to back, synchronously, for threads that have no other work. */
export class SequentialFile extends SequentialBytes {
  readonly #descriptor: number;

  constructor(path: string) {
    const descriptor = openSync(path, 'r');
    super(Buffer.alloc(0), fstatSync(descriptor).size);
    this.#descriptor = descriptor;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  protected override more(size: number): Buffer {
    const { position, sizeBytes } = this;
    const chunk = Buffer.allocUnsafeSlow(Math.max(size, Math.min(CHUNK_BYTES, sizeBytes - position)));
    let filled = 0;
    while (filled < chunk.length) {
      const read = readSync(this.#descriptor, chunk, filled, chunk.length - filled, position + filled);
      if (read === 0) throw new DecodeError(`the file ends at byte ${position + filled} while it is read`);
      filled += read;
    }
    return chunk;
  }
}
