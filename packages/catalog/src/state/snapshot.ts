import type { Action } from '../actions.ts';
import type {
  CatalogObject,
  DatabaseObject,
  DeletionVector,
  LocationObject,
  ObjectId,
  PrincipalObject,
  RelationObject,
  SchemaObject,
  SequenceObject,
  Tablet,
  TabletId,
} from '../model.ts';
import type { TableTotals } from './table-contents.ts';

/** The catalog at one version: immutable, cheap to hold. Names are looked up exactly (folding is the caller's). */
export interface Snapshot {
  readonly version: number;
  object(id: ObjectId): CatalogObject | undefined;
  database(name: string): DatabaseObject | undefined;
  schema(databaseId: ObjectId, name: string): SchemaObject | undefined;
  relation(schemaId: ObjectId, name: string): RelationObject | undefined;
  sequence(schemaId: ObjectId, name: string): SequenceObject | undefined;
  location(databaseId: ObjectId, name: string): LocationObject | undefined;
  /** The user or role with the given name. */
  principal(name: string): PrincipalObject | undefined;
  /** Users and roles, by name. */
  principals(): readonly PrincipalObject[];
  databases(): readonly DatabaseObject[];
  schemas(databaseId: ObjectId): readonly SchemaObject[];
  relations(schemaId: ObjectId): readonly RelationObject[];
  sequences(schemaId: ObjectId): readonly SequenceObject[];
  locations(databaseId: ObjectId): readonly LocationObject[];
  /** The tablets in the order in which they were added. */
  tablets(tableId: ObjectId): readonly Tablet[];
  tablet(tableId: ObjectId, tabletId: TabletId): Tablet | undefined;
  deletionVector(tableId: ObjectId, tabletId: TabletId): DeletionVector | undefined;
  /** Changes whenever a tablet or a deletion vector of the table does; equal contents may differ. */
  contentsVersion(tableId: ObjectId): number;
  /** Sums over the tablets, without going through them. */
  totals(tableId: ObjectId): TableTotals;
  /**
   * The snapshot after the actions, at the same version: what an open transaction sees of its own changes. The result can
   * be extended by further actions. Tables that the actions change get a contents version that is unique in the process.
   * @throws TesseraError DUPLICATE_OBJECT, UNDEFINED_OBJECT, DEPENDENT_OBJECTS when an action is not possible
   */
  withActions(actions: readonly Action[]): Snapshot;
  /** The version of the entry that committed the transaction, for as long as it is remembered. */
  committedVersion(idempotencyKey: string): number | undefined;
}
