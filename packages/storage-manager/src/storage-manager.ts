import type { Committed, Snapshot, Transaction } from '@tessera/catalog';

/**
 * The catalog as every node uses it, whether it leads, forwards to a leader, or asks an external metadata
 * service.
 */
export interface StorageManager {
  /** A snapshot at least as new as every commit that was acknowledged before the call. */
  latest(): Promise<Snapshot>;
  /** The newest snapshot that this node has, without a request; undefined until the first `latest`. */
  readonly current: Snapshot | undefined;
  /**
   * Commits atomically. A repeated `idempotencyKey` returns the first answer. Afterwards `latest` includes the commit.
   * @throws TesseraError TRANSACTION_CONFLICT, DUPLICATE_OBJECT, UNDEFINED_TABLE and similar if it was not
   * committed; METADATA_UNAVAILABLE if the outcome is unknown
   */
  commit(transaction: Transaction): Promise<Committed>;
  /** Protects the tablets of the snapshot from collection until the pin is released. */
  pin(snapshot: Snapshot): Pin;
  /** Registers a running upload: tablet ids created from now on do not count as orphans. */
  beginWrite(): Pin;
  /**
   * `CALL collect_garbage()`: deletes orphans, and tablets that were removed longer ago than the grace
   * period.
   */
  collectGarbage(limit: number): Promise<GarbageReport>;
  close(): Promise<void>;
}

export interface Pin {
  release(): void;
}

export interface GarbageReport {
  readonly tablets: number;
  readonly objects: number;
}
