import type { Snapshot } from '@tessera/catalog';

/** What a statement reads: one version of the catalog, with the changes of its own transaction laid over it. */
export interface StatementSnapshot {
  readonly snapshot: Snapshot;
  /** The tablets of the snapshot may be collected after this. */
  release(): void;
}
