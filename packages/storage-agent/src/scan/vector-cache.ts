import type { DeletionVector, Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import { DeletedRows, deletedRowsOf } from '@tessera/tablet';
import type { ScanTablet } from '../storage-agent.ts';
import type { RowRange } from './row-ranges.ts';

/** The maximum memory of all vectors together. */
const MAX_BYTES = 64 << 20;
/** The memory of a position, and of the object that describes a range of them. */
const POSITION_BYTES = 4;
const RANGE_BYTES = 72;
/** The memory of an entry in addition to its positions and ranges. */
const ENTRY_BYTES = 1_024;

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

  /** An estimate of the memory that it takes once `all` was called. */
  get bytes(): number {
    return this.#rows.rows * POSITION_BYTES + this.#rows.rangeCount * RANGE_BYTES;
  }

  /** Takes time proportional to what it returns. */
  within({ from, to }: RowRange): readonly RowRange[] {
    return Array.from(this.#rows.ranges(from, to), ({ start, end }) => ({ from: start, to: end }));
  }
}

const NONE = Promise.resolve(new DeletedPositions(DeletedRows.none));

interface CachedVector {
  readonly identity: string;
  readonly reading: Promise<DeletedPositions>;
  bytes: number;
}

/**
 * Caches the deleted rows of tablets: for each tablet the vector that was read last. Each statement that deletes a single row
 * makes a new vector with the rows of all statements before it, so the older ones would take memory that grows with the square
 * of the number of statements.
 */
export class VectorCache {
  readonly #store: ObjectStore;
  readonly #maxBytes: number;
  /** The vector of each tablet, least recently used first. */
  readonly #vectors = new Map<string, CachedVector>();
  #bytes = 0;

  /** @param maxBytes the maximum memory; a vector that takes more is the only one */
  constructor(store: ObjectStore, maxBytes = MAX_BYTES) {
    this.#store = store;
    this.#maxBytes = maxBytes;
  }

  /** An estimate of the memory of the vectors. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws TesseraError CORRUPT_TABLET, STORAGE_UNAVAILABLE */
  deletedRows({ tablet, vector }: ScanTablet): Promise<DeletedPositions> {
    if (vector === undefined) return NONE;
    const identity = vectorIdentity(vector);
    const known = this.#vectors.get(tablet.id);
    if (known?.identity === identity) {
      this.#vectors.delete(tablet.id);
      this.#vectors.set(tablet.id, known);
      return known.reading;
    }
    const reading = this.#read(tablet, vector);
    const added: CachedVector = { identity, reading, bytes: ENTRY_BYTES };
    this.#drop(tablet.id);
    this.#vectors.set(tablet.id, added);
    this.#bytes += added.bytes;
    const isKept = () => this.#vectors.get(tablet.id) === added;
    reading.then(
      (deleted) => isKept() && this.#count(added, deleted.bytes),
      () => isKept() && this.#drop(tablet.id),
    );
    return reading;
  }

  #count(added: CachedVector, bytes: number): void {
    added.bytes += bytes;
    this.#bytes += bytes;
    for (const oldest of this.#vectors.keys()) {
      if (this.#bytes <= this.#maxBytes || this.#vectors.size === 1) break;
      this.#drop(oldest);
    }
  }

  #drop(tabletId: string): void {
    this.#bytes -= this.#vectors.get(tabletId)?.bytes ?? 0;
    this.#vectors.delete(tabletId);
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
