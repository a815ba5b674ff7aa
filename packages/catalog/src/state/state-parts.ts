import type { CatalogObject } from '../model.ts';
import type { PersistentMap } from '../persistent/persistent-map.ts';
import type { Directory } from './directory.ts';
import type { Tombstone } from './garbage.ts';
import type { TableContents, TableTotals } from './table-contents.ts';
import type { TransactionResults } from './transaction-results.ts';

/** An object and the versions of the entries that made and last changed it. */
export interface ObjectState {
  readonly object: CatalogObject;
  readonly createdAt: number;
  readonly changedAt: number;
}

/** The contents of a table: there, or in a form that is read when they are first asked for. */
export interface StoredContents {
  readonly version: number;
  readonly totals: TableTotals;
  load(): TableContents;
}

/** Everything a catalog state consists of. */
export interface StateParts {
  readonly version: number;
  readonly epoch: number;
  readonly headSha256: string;
  /** The time of the newest entry in milliseconds since 1970; it never goes back. */
  readonly timeMs: number;
  readonly objects: PersistentMap<ObjectState>;
  readonly directories: PersistentMap<Directory>;
  /** The contents of tables, by table id. */
  readonly contents: PersistentMap<StoredContents>;
  /** The tombstones, by object name. */
  readonly tombstones: PersistentMap<Tombstone>;
  /** The number of tablets and deletion vectors that share an object, for objects with more than one. */
  readonly shares: PersistentMap<number>;
  readonly results: TransactionResults;
  /** Objects with an older ULID cannot be committed any more: the collector took them for orphans. */
  readonly orphansBeforeMs: number;
}
