import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DecodeError } from '../columns/column-batch.ts';

/** Reads ranges of a file synchronously, for threads that have no other work. */
export class RandomAccessFile {
  readonly sizeBytes: number;
  readonly #descriptor: number;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r');
    this.sizeBytes = fstatSync(this.#descriptor).size;
  }

  /** Reads a range into newly allocated memory. Throws DecodeError if the range is not within the file. */
  read(start: number, end: number): Uint8Array<ArrayBuffer> {
    this.checkRange(start, end);
    const bytes = new Uint8Array(end - start);
    let filled = 0;
    while (filled < bytes.length) {
      const read = readSync(this.#descriptor, bytes, filled, bytes.length - filled, start + filled);
      if (read === 0) throw new DecodeError(`the file ends at byte ${start + filled} while it is read`);
      filled += read;
    }
    return bytes;
  }

  checkRange(start: number, end: number): void {
    if (!(start >= 0 && start <= end)) throw new DecodeError(`a length at byte ${start} is negative`);
    if (end > this.sizeBytes) {
      throw new DecodeError(
        `the file ends at byte ${this.sizeBytes}, but bytes ${start} to ${end} should follow`,
      );
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
