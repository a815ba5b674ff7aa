import type { Committed, Snapshot, Transaction } from '@tessera/catalog';

/** The catalog as every node uses it, whether it leads, forwards to a leader, or asks an external metadata service. */
export interface StorageManager {
  /** A snapshot at least as new as every commit that was acknowledged before the call. */
  latest(): Promise<Snapshot>;
  /** The newest snapshot this node has, without asking anyone; undefined until the first `latest`. */
  readonly current: Snapshot | undefined;
  /**
   * Commits all or nothing; the same `txnId` again gets the first answer. Afterwards `latest` includes it.
   * @throws TesseraError TRANSACTION_CONFLICT, DUPLICATE_OBJECT, UNDEFINED_TABLE and relatives when it is not committed;
   * METADATA_UNAVAILABLE when that is not known
   */
  commit(transaction: Transaction): Promise<Committed>;
  /** Tablets of the snapshot's version are not collected until the pin is released. */
  pin(snapshot: Snapshot): Pin;
  /** Uploads under way: tablet ids made since then are not taken for orphans. */
  beginWrite(): Pin;
  /** `CALL collect_garbage()`: tablets removed longer than the grace period, and orphans. */
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
