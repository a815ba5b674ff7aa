import { RoaringBitmap32, roaringLibraryInitialize } from 'roaring-wasm';

await roaringLibraryInitialize();

/** Consecutive rows, `end` exclusive. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
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
    let bitmap: RoaringBitmap32 | undefined;
    try {
      bitmap = RoaringBitmap32.deserialize(bytes, 'portable');
    } catch (cause) {
      throw new RangeError('The deletion vector is not a roaring bitmap', { cause });
    }
    try {
      if (bitmap.size !== rows)
        throw new RangeError(`The deletion vector holds ${bitmap.size} rows, not ${rows}`);
      return new DeletedRows(bitmap.toUint32Array());
    } finally {
      bitmap.dispose();
    }
  }

  /** The portable format of roaring bitmaps: https://github.com/RoaringBitmap/RoaringFormatSpec */
  encode(): Uint8Array {
    const bitmap = new RoaringBitmap32(this.#positions);
    try {
      bitmap.runOptimize();
      return bitmap.serialize('portable').slice();
    } finally {
      bitmap.dispose();
    }
  }

  get rows(): number {
    return this.#positions.length;
  }

  has(position: number): boolean {
    const at = this.#firstFrom(position);
    return this.#positions[at] === position;
  }

  union(other: DeletedRows): DeletedRows {
    const [a, b] = [this.#positions, other.#positions];
    const both = new Uint32Array(a.length + b.length);
    let [i, j, count] = [0, 0, 0];
    while (i < a.length || j < b.length) {
      const [x, y] = [a[i] ?? Number.POSITIVE_INFINITY, b[j] ?? Number.POSITIVE_INFINITY];
      both[count++] = Math.min(x, y);
      if (x <= y) i++;
      if (y <= x) j++;
    }
    return new DeletedRows(both.slice(0, count));
  }

  /** The number of deleted rows from `start` to `end` (exclusive). */
  countIn(start: number, end: number): number {
    return this.#firstFrom(end) - this.#firstFrom(start);
  }

  positions(): Iterable<number> {
    return this.#positions;
  }

  /** The positions as ascending, maximal ranges. */
  *ranges(): Generator<RowRange, void> {
    const positions = this.#positions;
    for (let i = 0; i < positions.length; ) {
      const start = positions[i]!;
      let end = start + 1;
      while (positions[++i] === end) end++;
      yield { start, end };
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
