import type { Snapshot } from '@tessera/catalog';

/**
 * The snapshot that a statement reads: one version of the catalog, with the changes of its own transaction
 * applied.
 */
export interface StatementSnapshot {
  readonly snapshot: Snapshot;
  /** Allows the tablets of the snapshot to be collected. */
  release(): void;
}
