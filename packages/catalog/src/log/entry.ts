import type { Transaction } from '../actions.ts';

/** Records that the storage manager itself writes to the log. */
export type SystemRecord =
  /** A node took over: from here on entries have this `epoch`, and no older leader can append. */
  | { readonly kind: 'new_epoch'; readonly node: string; readonly address: string }
  /**
   * These objects are about to be deleted. `orphansBeforeMs`: no object made (by the ULID in its name) before that time
   * and not committed yet may be committed any more.
   */
  | { readonly kind: 'gc_intent'; readonly names: readonly string[]; readonly orphansBeforeMs?: number }
  /** These objects are deleted. */
  | { readonly kind: 'gc_done'; readonly names: readonly string[] };

/** One object of the log: transactions that commit together, in this order. */
export interface LogEntry {
  /** The version of the catalog after this entry; the first entry has 1. */
  readonly version: number;
  readonly epoch: number;
  /** A random id that the leader generates for each entry, so that it recognises its own entries. */
  readonly putId: string;
  /** The hash of the bytes of the previous entry; 64 zeros for the first. */
  readonly prevSha256: string;
  /** ISO 8601, UTC, by the leader's clock. */
  readonly time: string;
  readonly records: readonly SystemRecord[];
  readonly txns: readonly Transaction[];
}

/** An entry with the bytes that the log has for it. */
export interface SealedEntry {
  readonly entry: LogEntry;
  readonly bytes: Uint8Array;
  /** Hexadecimal, of the bytes. */
  readonly sha256: string;
}
