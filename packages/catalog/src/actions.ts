import type { QueryId } from '@tessera/common';
import type { CatalogObject, DeletionVector, ObjectId, Tablet, TabletId } from './model.ts';

/** One change of the catalog, as commit entries carry it. */
export type Action =
  | { readonly kind: 'create'; readonly object: CatalogObject }
  /** Replaces the object of the same id; `readVersion` conflicts if another commit altered it since. */
  | { readonly kind: 'alter'; readonly object: CatalogObject }
  | { readonly kind: 'drop'; readonly id: ObjectId }
  | { readonly kind: 'add_tablet'; readonly tablet: Tablet }
  | {
      readonly kind: 'remove_tablet';
      readonly tableId: ObjectId;
      readonly tabletId: TabletId;
      readonly reason: 'delete' | 'truncate' | 'merge' | 'drop_partition' | 'alter_type';
    }
  /** `replaces`: rows deleted already in the vector this one was made from; 0 for the first. */
  | { readonly kind: 'set_deletion_vector'; readonly vector: DeletionVector; readonly replaces: number }
  /**
   * Changes nothing: the transaction depends on the absence of rows, so it conflicts with every change of the table's rows that
   * another transaction committed since `readVersion`. It travels to the leader, and the log does not keep it.
   */
  | { readonly kind: 'expect_same_rows'; readonly tableId: ObjectId };

/** The transaction as the log keeps it, without what only its admission needs. */
export const loggedTransaction = (transaction: Transaction): Transaction => {
  const actions = transaction.actions.filter(({ kind }) => kind !== 'expect_same_rows');
  return actions.length === transaction.actions.length ? transaction : { ...transaction, actions };
};

/** The actions that a statement asks the log to commit. */
export interface CatalogChange {
  readonly actions: readonly Action[];
}

export const NO_CHANGE: CatalogChange = { actions: [] };

/** Actions that the leader commits together or not at all. */
export interface Transaction {
  /** Makes a repeated commit harmless: a replay finds the key in the log and gets the first answer. */
  readonly idempotencyKey: string;
  /** The query that asked for them; for maintenance an id of its own. */
  readonly queryId: QueryId;
  /** The version that the statement read. */
  readonly readVersion: number;
  readonly actions: readonly Action[];
}

export interface Committed {
  /** Version of the log entry that holds the transaction. */
  readonly version: number;
}
