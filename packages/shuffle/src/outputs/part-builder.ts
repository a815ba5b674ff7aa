import { PayloadPool } from '@tessera/kernel';
import type { ReadBatch } from './read-part.ts';

/** Rows are gathered to parts of about this size: small ones cost more per row on their way. */
const PART_BYTES = 1 << 20;
const LARGE_BYTES = 256 << 10;

/** Memory for parts, shared by all readers: fresh memory for each part would make the garbage collector run for its size. */
const buffers = new PayloadPool();

/** Gathers messages to parts of a good size. */
export class PartBuilder {
  #buffer: Buffer | undefined;
  #used = 0;
  #rows = 0;

  /** Whether messages of this length together need not be gathered. */
  isLarge(length: number): boolean {
    return length >= LARGE_BYTES;
  }

  /** To be called before `take`: yields the part that is gathered when it has no room for another message. */
  *makeRoom(length: number): Generator<ReadBatch> {
    if (this.#buffer !== undefined && this.#used + length > this.#buffer.length) yield* this.rest();
    this.#buffer ??= buffers.take(Math.max(PART_BYTES, length));
  }

  /** The memory for a message of this length and its rows. */
  take(length: number, rows: number): Uint8Array {
    const at = this.#used;
    this.#used += length;
    this.#rows += rows;
    return this.#buffer!.subarray(at, at + length);
  }

  /** Yields what is gathered. */
  *rest(): Generator<ReadBatch> {
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    const ipc = buffer.subarray(0, this.#used);
    const rows = this.#rows;
    this.#buffer = undefined;
    this.#used = 0;
    this.#rows = 0;
    yield { ipc, rows, release: () => buffers.give(buffer) };
  }
}
