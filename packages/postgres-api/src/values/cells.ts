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

  constructor(bytes: Uint8Array, offsets: Int32Array | Uint32Array, validity: Validity) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#offsets = offsets;
    this.#validity = validity;
  }

  addSizes(sizes: Uint32Array, from: number, to: number): void {
    const offsets = this.#offsets;
    for (let row = from; row < to; row += 1) {
      const length = isNull(this.#validity, row) ? 0 : offsets[row + 1]! - offsets[row]!;
      sizes[row - from]! += LENGTH_BYTES + length;
    }
  }

  write(out: Buffer, view: DataView, places: Uint32Array, from: number, to: number): void {
    const bytes = this.#bytes;
    const offsets = this.#offsets;
    for (let row = from; row < to; row += 1) {
      const at = places[row - from]!;
      if (isNull(this.#validity, row)) {
        view.setInt32(at, NULL_LENGTH);
        places[row - from] = at + LENGTH_BYTES;
        continue;
      }
      const start = offsets[row]!;
      const end = offsets[row + 1]!;
      view.setInt32(at, end - start);
      let to = at + LENGTH_BYTES;
      if (end - start > SHORT) bytes.copy(out, to, start, end);
      else for (let from = start; from < end; from += 1) out[to++] = bytes[from]!;
      places[row - from] = at + LENGTH_BYTES + end - start;
    }
  }
}
