import {
  type Action,
  DEFAULT_GRANULARITY,
  newObject,
  requireDatabase,
  type SchemaObject,
  type Snapshot,
  type TableObject,
} from '@tessera/catalog';
import { type OutputColumn, relationOfChange } from '@tessera/sql';
import { columnsOf, rowsOf } from '../catalog/create-table-as.ts';
import type { QueryToStore } from '../changes/store-query.ts';

/** The relations of the rows that changes in WITH return. They are tables that only the snapshot of the statement knows. */
export class ReturnedRelations {
  #snapshot: Snapshot;
  readonly #user: string;
  readonly #schema: SchemaObject;

  /** @param context `database` is the database of the statement */
  constructor(context: { readonly user: string; readonly database: string }, snapshot: Snapshot) {
    const { id: databaseId } = requireDatabase(snapshot, context.database);
    this.#user = context.user;
    this.#schema = { kind: 'schema', ...newObject(context, relationOfChange(0).schema), databaseId };
    this.#snapshot = snapshot.withActions([{ kind: 'create', object: this.#schema }]);
  }

  /** The snapshot of the statement, with the relations so far. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** The relation of the change at a position in WITH, and how its rows are stored. */
  toStore(index: number, returned: readonly OutputColumn[]): QueryToStore {
    const columns = columnsOf(returned);
    const table: TableObject = {
      kind: 'table',
      ...newObject({ user: this.#user }, relationOfChange(index).name),
      schemaId: this.#schema.id,
      tableType: 'FACT',
      columns,
      primaryIndex: [],
      partitionBy: [],
      indexGranularity: DEFAULT_GRANULARITY,
      schemaVersion: 0,
      nextColumnId: columns.length + 1,
      indexes: [],
    };
    return rowsOf(table);
  }

  /** Adds a relation with its rows to the snapshot. */
  add(table: TableObject, rows: readonly Action[] = []): void {
    this.#snapshot = this.#snapshot.withActions([{ kind: 'create', object: table }, ...rows]);
  }
}
