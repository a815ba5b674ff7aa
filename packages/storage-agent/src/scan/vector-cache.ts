import type { DeletionVector, Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import { deletedRowsOf } from '@tessera/tablet';
import type { ScanTablet } from '../storage-agent.ts';
import type { RowRange } from './row-ranges.ts';

const MAX_VECTORS = 4_096;

/** Caches the deleted rows of tablets by the identity of their deletion vectors, most recently used first. */
export class VectorCache {
  readonly #store: ObjectStore;
  readonly #ranges = new Map<string, Promise<readonly RowRange[]>>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** @throws TesseraError CORRUPT_TABLET, STORAGE_UNAVAILABLE */
  deletedRows(scan: ScanTablet): Promise<readonly RowRange[]> {
    if (scan.vector === undefined) return NONE;
    const key = `${scan.tablet.id}/${vectorIdentity(scan.vector)}`;
    const known = this.#ranges.get(key);
    this.#ranges.delete(key);
    const reading = known ?? this.#read(scan.tablet, scan.vector);
    this.#ranges.set(key, reading);
    reading.catch(() => this.#ranges.delete(key));
    if (this.#ranges.size > MAX_VECTORS) this.#ranges.delete(this.#ranges.keys().next().value!);
    return reading;
  }

  /** Reads an object; one that cannot be decoded is requested a second time. */
  async #read(tablet: Tablet, vector: NonNullable<ScanTablet['vector']>): Promise<readonly RowRange[]> {
    for (let tries = 1; ; tries++) {
      try {
        const object = vector.key === undefined ? undefined : await this.#object(vector.key);
        return [...deletedRowsOf(vector, object).ranges()].map(({ start, end }) => ({
          from: start,
          to: end,
        }));
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

const NONE: Promise<readonly RowRange[]> = Promise.resolve([]);

/** An identity of the deleted rows of a tablet: equal texts mean equal rows; '' means none. */
export const vectorIdentity = (vector: DeletionVector | undefined): string =>
  vector === undefined ? '' : (vector.inline ?? vector.key!);
