import {
  type Action,
  newObject,
  type Place,
  placeForNew,
  requireDatabase,
  type SchemaObject,
  type Snapshot,
  type TableObject,
  TEMPORARY_SCHEMA,
} from '@tessera/catalog';
import { fail } from '@tessera/common';
import type { CreateStatement } from '@tessera/sql';
import type { ChangeContext } from '../changes/change.ts';

type CreateTable = Extract<CreateStatement, { kind: 'create_table' | 'create_table_as' }>;

export interface PlaceForTable {
  readonly place: Place;
  /**
   * The actions that create the schema of the session's temporary tables, if this table is the first of them.
   */
  readonly opened: readonly Action[];
}

/**
 * The place of a new table.
 * @throws TesseraError NOT_SUPPORTED for a temporary table of a client without a session
 */
export function placeForTable(
  context: ChangeContext,
  snapshot: Snapshot,
  { name, temporary }: Pick<CreateTable, 'name'> & { readonly temporary?: unknown },
): PlaceForTable {
  if (temporary === undefined) return { place: placeForNew(snapshot, name, context.database), opened: [] };
  const { parts, location } = name;
  const session = context.run.request.temporary;
  if (session === undefined) {
    const hint =
      'a request over HTTP has no session: use the PostgreSQL port, or a common table expression (WITH)';
    return fail('NOT_SUPPORTED', { what: 'A temporary object', hint }, { location });
  }
  session.use();
  const database = requireDatabase(snapshot, parts.at(-3) ?? context.database, location);
  const existing = snapshot.schema(database.id, TEMPORARY_SCHEMA);
  const schema: SchemaObject = existing ?? {
    kind: 'schema',
    ...newObject(context, session.schemaName),
    databaseId: database.id,
    temporaryOf: session.process,
  };
  return {
    place: { database, schema, name: parts.at(-1) ?? '', location },
    opened: existing === undefined ? [{ kind: 'create', object: schema }] : [],
  };
}

/** Records the ON COMMIT action of a table in the session. */
export function keepUntil(
  { run }: ChangeContext,
  { id }: Pick<TableObject, 'id'>,
  { temporary }: CreateTable,
): void {
  if (temporary !== undefined) run.request.temporary?.keep(id, temporary.onCommit);
}
