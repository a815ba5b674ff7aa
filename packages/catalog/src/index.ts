export {
  type Action,
  type CatalogChange,
  type Committed,
  loggedTransaction,
  NO_CHANGE,
  type Transaction,
} from './actions.ts';
export { decodeCheckpoint, encodeCheckpoint } from './checkpoint/checkpoint.ts';
export type { LogEntry, SealedEntry, SystemRecord } from './log/entry.ts';
export { decodeEntry, decodeTransaction, encodeEntry, encodeTransaction } from './log/entry-codec.ts';
export type * from './model.ts';
export {
  DEFAULT_SCHEMA,
  INFORMATION_SCHEMA,
  implicitSchema,
  isSystemSchema,
  isTemporary,
  isTemporaryName,
  nameOfTable,
  PG_CATALOG,
  type Place,
  placeForNew,
  placeOf,
  RELATION_WORDS,
  relationAt,
  requireChangedTable,
  requireDatabase,
  requireLocation,
  requireRelation,
  requireSchema,
  requireSchemaOf,
  requireSequence,
  requireTable,
  TEMPORARY_SCHEMA,
} from './names.ts';
export { DEFAULT_GRANULARITY, keptOf, newObject } from './new-objects.ts';
export { ENGINE_PRIVILEGES, type Privilege } from './privileges.ts';
export { type Admission, admit } from './state/admit.ts';
export { applyEntry } from './state/apply-entry.ts';
export {
  ADMIN_ROLE,
  BOOTSTRAP_DATABASE,
  BOOTSTRAP_SCHEMA,
  BOOTSTRAP_USER,
  PUBLIC_ROLE,
  usageForEverybody,
} from './state/bootstrap.ts';
export { CatalogState } from './state/catalog-state.ts';
export { type Tombstone, ulidTimeOf } from './state/garbage.ts';
export type { Snapshot } from './state/snapshot.ts';
export type { TableTotals } from './state/table-contents.ts';
export { withNames } from './state/with-names.ts';
export { locationPrefix } from './table-locations.ts';
