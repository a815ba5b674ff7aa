import type { Data } from 'apache-arrow';

/**
 * The values of a column of a batch as cells of DataRow messages: a length (-1 for NULL) and the bytes of the
 * value.
 */
export interface Cells {
  /** Adds the size in bytes of each row's cell to `sizes`. */
  addSizes(sizes: Uint32Array, from: number, to: number): void;
  /** Writes each row's cell at its place and advances the place past it. */
  write(out: Buffer, view: DataView, places: Uint32Array, from: number, to: number): void;
}

/** Arrow's validity bits; undefined if no value is NULL. */
export type Validity = Uint8Array | undefined;

export const isNull = (validity: Validity, row: number): boolean =>
  validity !== undefined && (validity[row >> 3]! & (1 << (row & 7))) === 0;

export const validityOf = (data: Data): Validity =>
  data.nullBitmap != null && data.nullBitmap.length > 0 && data.nullCount > 0 ? data.nullBitmap : undefined;

/**
 * The offsets as 32-bit integers. The kernel may send 64-bit offsets, but no buffer of a batch reaches 2 GiB.
 */
export const offsetsOf = ({ valueOffsets, length }: Data): Int32Array => {
  if (length === 0) return new Int32Array(1);
  const offsets: Int32Array | BigInt64Array = valueOffsets;
  return offsets instanceof BigInt64Array ? Int32Array.from(offsets, Number) : offsets;
};

const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** Values of a fixed width. */
export class FixedCells implements Cells {
  readonly #width: number;
  readonly #validity: Validity;
  readonly #put: (view: DataView, at: number, row: number) => void;

  constructor(width: number, validity: Validity, put: (view: DataView, at: number, row: number) => void) {
    this.#width = width;
    this.#validity = validity;
    this.#put = put;
  }

  addSizes(sizes: Uint32Array, from: number, to: number): void {
    const full = LENGTH_BYTES + this.#width;
    for (let row = from; row < to; row += 1) {
      sizes[row - from]! += isNull(this.#validity, row) ? LENGTH_BYTES : full;
    }
  }

  write(_out: Buffer, view: DataView, places: Uint32Array, from: number, to: number): void {
    const width = this.#width;
    for (let row = from; row < to; row += 1) {
      const at = places[row - from]!;
      if (isNull(this.#validity, row)) {
        view.setInt32(at, NULL_LENGTH);
        places[row - from] = at + LENGTH_BYTES;
      } else {
        view.setInt32(at, width);
        this.#put(view, at + LENGTH_BYTES, row);
        places[row - from] = at + LENGTH_BYTES + width;
      }
    }
  }
}

/** Up to this many bytes, a loop is faster than a call of `set`. */
const SHORT = 32;

/** Values that are stored consecutively in `bytes`, each from `offsets[row]` to `offsets[row + 1]`. */
export class ByteCells implements Cells {
  readonly #bytes: Buffer;
  readonly #offsets: Int32Array | Uint32Array;
  readonly #validity: Validity;
  readonly #ends: Uint32Array | undefined;

  /** @param ends where the values of the written rows end, beginning with the first one, if they end before the next one */
  constructor(bytes: Buffer, offsets: Int32Array | Uint32Array, validity: Validity, ends?: Uint32Array) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.#validity = validity;
    this.#ends = ends;
  }

  addSizes(sizes: Uint32Array, from: number, to: number): void {
    const offsets = this.#offsets;
    const ends = this.#ends ?? offsets.subarray(from + 1);
    for (let row = from; row < to; row += 1) {
      const length = isNull(this.#validity, row) ? 0 : ends[row - from]! - offsets[row]!;
      sizes[row - from]! += LENGTH_BYTES + length;
    }
  }

  write(out: Buffer, view: DataView, places: Uint32Array, from: number, to: number): void {
    const bytes = this.#bytes;
    const offsets = this.#offsets;
    const ends = this.#ends ?? offsets.subarray(from + 1);
    for (let row = from; row < to; row += 1) {
      const at = places[row - from]!;
      if (isNull(this.#validity, row)) {
        view.setInt32(at, NULL_LENGTH);
        places[row - from] = at + LENGTH_BYTES;
        continue;
      }
      const start = offsets[row]!;
      const end = ends[row - from]!;
      view.setInt32(at, end - start);
      let to = at + LENGTH_BYTES;
      if (end - start > SHORT) bytes.copy(out, to, start, end);
      else for (let from = start; from < end; from += 1) out[to++] = bytes[from]!;
      places[row - from] = at + LENGTH_BYTES + end - start;
    }
  }
}

/** Values whose cells differ in size, and are written without a copy in between. */
export class SizedCells implements Cells {
  readonly #validity: Validity;
  readonly #sizeOf: (row: number) => number;
  readonly #put: (out: Buffer, at: number, end: number, row: number) => void;

  /** @param put writes the value of a row, of the size that `sizeOf` tells, from `at` to `end` (exclusive) */
  constructor(
    validity: Validity,
    sizeOf: (row: number) => number,
    put: (out: Buffer, at: number, end: number, row: number) => void,
  ) {
    this.#validity = validity;
    this.#sizeOf = sizeOf;
    this.#put = put;
  }

  addSizes(sizes: Uint32Array, from: number, to: number): void {
    for (let row = from; row < to; row += 1)
      sizes[row - from]! += LENGTH_BYTES + (isNull(this.#validity, row) ? 0 : this.#sizeOf(row));
  }

  write(out: Buffer, view: DataView, places: Uint32Array, from: number, to: number): void {
    for (let row = from; row < to; row += 1) {
      const at = places[row - from]!;
      const start = at + LENGTH_BYTES;
      if (isNull(this.#validity, row)) {
        view.setInt32(at, NULL_LENGTH);
        places[row - from] = start;
        continue;
      }
      const end = start + this.#sizeOf(row);
      view.setInt32(at, end - start);
      this.#put(out, start, end, row);
      places[row - from] = end;
    }
  }
}

/** The bytes of a column of texts or bytes, without a copy. */
export const bytesOf = ({ values }: Data): Buffer =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength);

/** The cells of a column of texts or bytes. */
export const byteCells = (data: Data): Cells =>
  new ByteCells(bytesOf(data), offsetsOf(data), validityOf(data));
