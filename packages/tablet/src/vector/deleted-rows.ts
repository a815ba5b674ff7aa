import { RoaringBitmap32, roaringLibraryInitialize } from 'roaring-wasm';

await roaringLibraryInitialize();

/** Consecutive rows, `end` exclusive. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

/** Deleted rows in the portable format of roaring bitmaps, and their number. */
export interface EncodedRows {
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/** The bitmap of encoded rows, which the caller disposes of. @throws RangeError as `DeletedRows.decode` */
function bitmapOf(bytes: Uint8Array, rows: number): RoaringBitmap32 {
  let bitmap: RoaringBitmap32;
  try {
    bitmap = RoaringBitmap32.deserialize(bytes, 'portable');
  } catch (cause) {
    throw new RangeError('The deletion vector is not a roaring bitmap', { cause });
  }
  const { size } = bitmap;
  if (size === rows) return bitmap;
  bitmap.dispose();
  throw new RangeError(`The deletion vector holds ${size} rows, not ${rows}`);
}

/** Encodes a bitmap and disposes of it. */
function encoded(bitmap: RoaringBitmap32): EncodedRows {
  try {
    bitmap.runOptimize();
    return { rows: bitmap.size, bytes: bitmap.serialize('portable').slice() };
  } finally {
    bitmap.dispose();
  }
}

/** Positions of deleted rows in a tablet's body. Immutable. */
export class DeletedRows {
  static readonly none = new DeletedRows(new Uint32Array());
  /** The positions, ascending and unique. */
  readonly #positions: Uint32Array;

  private constructor(positions: Uint32Array) {
    this.#positions = positions;
  }

  /** Accepts positions in any order; duplicates count once. */
  static of(positions: Iterable<number>): DeletedRows {
    const sorted = Uint32Array.from(positions).sort();
    return new DeletedRows(sorted.filter((position, i) => i === 0 || position !== sorted[i - 1]));
  }

  /**
   * Reads the portable format of roaring bitmaps.
   * @throws RangeError for invalid bytes, or if the number of rows differs from the catalog's
   */
  static decode(bytes: Uint8Array, rows: number): DeletedRows {
    const bitmap = bitmapOf(bytes, rows);
    try {
      return new DeletedRows(bitmap.toUint32Array());
    } finally {
      bitmap.dispose();
    }
  }

  /** The portable format of roaring bitmaps: https://github.com/RoaringBitmap/RoaringFormatSpec */
  encode(): Uint8Array {
    return encoded(new RoaringBitmap32(this.#positions)).bytes;
  }

  /**
   * Adds these rows to encoded ones, without going through all of their positions.
   * @throws RangeError as `decode`
   */
  addedTo(bytes: Uint8Array, rows: number): EncodedRows {
    const bitmap = bitmapOf(bytes, rows);
    bitmap.addMany(this.#positions);
    return encoded(bitmap);
  }

  get rows(): number {
    return this.#positions.length;
  }

  /** The number of maximal ranges of the positions. */
  get rangeCount(): number {
    const positions = this.#positions;
    let count = Math.min(1, positions.length);
    for (let i = 1; i < positions.length; i++) if (positions[i] !== positions[i - 1]! + 1) count++;
    return count;
  }

  has(position: number): boolean {
    const at = this.#firstFrom(position);
    return this.#positions[at] === position;
  }

  /** The number of deleted rows from `start` to `end` (exclusive). */
  countIn(start: number, end: number): number {
    return this.#firstFrom(end) - this.#firstFrom(start);
  }

  positions(): Iterable<number> {
    return this.#positions;
  }

  /** The positions from `start` to `end` (exclusive; by default all) as ascending, maximal ranges. */
  *ranges(start = 0, end = Number.POSITIVE_INFINITY): Generator<RowRange, void> {
    const positions = this.#positions;
    const last = this.#firstFrom(end);
    for (let i = this.#firstFrom(start); i < last; ) {
      const first = positions[i]!;
      let next = first + 1;
      while (++i < last && positions[i] === next) next++;
      yield { start: first, end: next };
    }
  }

  /** The index of the first position that is not below `position`. */
  #firstFrom(position: number): number {
    let [low, high] = [0, this.#positions.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#positions[middle]! < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
