import type { DeletionVector, Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import { DeletedRows, deletedRowsOf } from '@tessera/tablet';
import type { ScanTablet } from '../storage-agent.ts';
import type { RowRange } from './row-ranges.ts';

const MAX_VECTORS = 4_096;
/**
 * The maximum number of positions of all vectors together, 64 MiB. Each statement that deletes single rows makes a new vector
 * with the rows of all statements before it.
 */
const MAX_POSITIONS = 1 << 24;

/** The deleted rows of a tablet. */
export class DeletedPositions {
  readonly #rows: DeletedRows;
  #all: readonly RowRange[] | undefined;

  constructor(rows: DeletedRows) {
    this.#rows = rows;
  }

  get rows(): number {
    return this.#rows.rows;
  }

  all(): readonly RowRange[] {
    this.#all ??= this.within({ from: 0, to: Number.POSITIVE_INFINITY });
    return this.#all;
  }

  /** Takes time proportional to what it returns. */
  within({ from, to }: RowRange): readonly RowRange[] {
    return Array.from(this.#rows.ranges(from, to), ({ start, end }) => ({ from: start, to: end }));
  }
}

const NONE = Promise.resolve(new DeletedPositions(DeletedRows.none));

interface CachedVector {
  readonly reading: Promise<DeletedPositions>;
  /** The number of its positions; 0 until they were read. */
  positions: number;
}

/** Caches the deleted rows of tablets by the identity of their deletion vectors. */
export class VectorCache {
  readonly #store: ObjectStore;
  readonly #maxPositions: number;
  /** Least recently used first. */
  readonly #vectors = new Map<string, CachedVector>();
  #positions = 0;

  /** @param maxPositions the maximum number of positions in memory; a vector with more is the only one */
  constructor(store: ObjectStore, maxPositions = MAX_POSITIONS) {
    this.#store = store;
    this.#maxPositions = maxPositions;
  }

  /** The number of positions in memory. */
  get positions(): number {
    return this.#positions;
  }

  /** @throws TesseraError CORRUPT_TABLET, STORAGE_UNAVAILABLE */
  deletedRows(scan: ScanTablet): Promise<DeletedPositions> {
    if (scan.vector === undefined) return NONE;
    const key = `${scan.tablet.id}/${vectorIdentity(scan.vector)}`;
    const known = this.#vectors.get(key);
    if (known !== undefined) {
      this.#vectors.delete(key);
      this.#vectors.set(key, known);
      return known.reading;
    }
    const reading = this.#read(scan.tablet, scan.vector);
    const added: CachedVector = { reading, positions: 0 };
    this.#vectors.set(key, added);
    reading.then(
      ({ rows }) => {
        if (this.#vectors.get(key) !== added) return;
        added.positions = rows;
        this.#positions += rows;
        this.#dropOldest();
      },
      () => this.#vectors.get(key) === added && this.#vectors.delete(key),
    );
    this.#dropOldest();
    return reading;
  }

  #dropOldest(): void {
    for (const [key, { positions }] of this.#vectors) {
      const isFull = this.#vectors.size > MAX_VECTORS || this.#positions > this.#maxPositions;
      if (!isFull || this.#vectors.size === 1) break;
      this.#vectors.delete(key);
      this.#positions -= positions;
    }
  }

  /** Reads an object; one that cannot be decoded is requested a second time. */
  async #read(tablet: Tablet, vector: NonNullable<ScanTablet['vector']>): Promise<DeletedPositions> {
    for (let tries = 1; ; tries++) {
      try {
        const object = vector.key === undefined ? undefined : await this.#object(vector.key);
        return new DeletedPositions(deletedRowsOf(vector, object));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        if (tries === 2) {
          const reason = `its deletion vector cannot be read: ${error.message}`;
          throw TesseraError.of('CORRUPT_TABLET', { tablet: tablet.id, table: tablet.tableId, reason });
        }
      }
    }
  }

  async #object(key: string): Promise<Uint8Array> {
    const object = await this.#store.get(key);
    if (object !== undefined) return object.body;
    throw TesseraError.of('OBJECT_NOT_FOUND', { url: `${this.#store.url}/${key}` });
  }
}

/** An identity of the deleted rows of a tablet: equal texts mean equal rows; '' means none. */
export const vectorIdentity = (vector: DeletionVector | undefined): string =>
  vector === undefined ? '' : (vector.inline ?? vector.key!);
