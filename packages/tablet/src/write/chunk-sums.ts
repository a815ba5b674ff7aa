import { crc32c } from '@node-rs/crc32';

export interface ByteRange {
  readonly offset: number;
  readonly bytes: number;
}

/** Computes the CRC-32C of consecutive ranges while their file is read in pieces. */
export class ChunkSums {
  readonly #ranges: readonly ByteRange[];
  readonly #sums: number[] = [];
  #sum = 0;

  /** The ranges must be ascending and must not overlap. */
  constructor(ranges: readonly ByteRange[]) {
    this.#ranges = ranges;
    this.#close(0);
  }

  /** Pieces must arrive in order and without gaps. */
  update(offset: number, piece: Uint8Array): void {
    const end = offset + piece.length;
    for (let at = offset; at < end; ) {
      const range = this.#ranges[this.#sums.length];
      if (range === undefined) return;
      const from = Math.max(at, range.offset);
      if (from >= end) return;
      const to = Math.min(end, range.offset + range.bytes);
      this.#sum = crc32c(piece.subarray(from - offset, to - offset), this.#sum);
      this.#close(to);
      at = to;
    }
  }

  /** One checksum per range. */
  sums(): readonly number[] {
    if (this.#sums.length !== this.#ranges.length) throw new Error('The file ended before its chunks');
    return this.#sums;
  }

  /** Finishes the ranges that end at `at` or are empty. */
  #close(at: number): void {
    for (;;) {
      const range = this.#ranges[this.#sums.length];
      if (range === undefined || range.offset + range.bytes > at) {
        if (range === undefined || range.bytes > 0) return;
      }
      this.#sums.push(this.#sum);
      this.#sum = 0;
    }
  }
}
