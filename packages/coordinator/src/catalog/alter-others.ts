import type { AccessContext } from '@tessera/access-control';
import { requirePrincipal } from '@tessera/access-control';
import type { CatalogObject, Snapshot } from '@tessera/catalog';
import {
  DEFAULT_SCHEMA,
  isSystemSchema,
  NO_CHANGE,
  placeOf,
  RELATION_WORDS,
  relationAt,
  requireDatabase,
  requireLocation,
  requireRelation,
  requireSchema,
} from '@tessera/catalog';
import { fail } from '@tessera/common';
import type { AlterStatement } from '@tessera/sql';
import type { Change } from '../changes/change.ts';
import { dependentViews } from '../objects/dependents.ts';
import { refuseTemporaryName } from './databases.ts';

type Alter<K extends AlterStatement['kind']> = Extract<AlterStatement, { kind: K }>;

/**
 * @throws TesseraError UNDEFINED_OBJECT, DUPLICATE_OBJECT, DEPENDENT_OBJECTS for a name that occurs in the
 * text of views
 */
export function alterSchema(
  context: AccessContext,
  snapshot: Snapshot,
  { name: { parts, location }, change }: Alter<'alter_schema'>,
): Change {
  const [name = '', databaseName = context.database] = [...parts].reverse();
  const database = requireDatabase(snapshot, databaseName, location);
  if (isSystemSchema(name)) {
    fail('FORBIDDEN', { message: `${name} cannot be changed` }, { location });
  }
  const schema = requireSchema(snapshot, database, name, location);
  if (change.kind === 'owner') return owned(context, snapshot, schema, change.to);
  if (name === DEFAULT_SCHEMA) {
    const message = `Schema "${name}" is the default schema and cannot be renamed`;
    fail('FORBIDDEN', { message }, { location });
  }
  refuseTemporaryName(schema.name, location);
  refuseTemporaryName(change.to, location);
  if (snapshot.schema(database.id, change.to) !== undefined || isSystemSchema(change.to)) {
    fail('DUPLICATE_SCHEMA', { name: change.to }, { location });
  }
  const [view] = snapshot.relations(schema.id).flatMap((relation) => dependentViews(snapshot, [relation]));
  if (view !== undefined) {
    const message = `Schema "${name}" cannot be renamed, because the view "${view.name}" refers to its objects; drop or replace the view first`;
    fail('DEPENDENT_OBJECTS', { message }, { location });
  }
  return altered({ ...schema, name: change.to });
}

/** @throws TesseraError UNDEFINED_TABLE, WRONG_OBJECT_TYPE, DUPLICATE_OBJECT, DEPENDENT_OBJECTS */
export function alterView(
  context: AccessContext,
  snapshot: Snapshot,
  { view: name, ifExists, change }: Alter<'alter_view'>,
): Change {
  const { location } = name;
  const place = placeOf(snapshot, name, context.database);
  if (ifExists && relationAt(snapshot, place) === undefined) return NO_CHANGE;
  const view = requireRelation(snapshot, place);
  if (view.kind !== 'view') {
    const message = `"${view.name}" is ${RELATION_WORDS[view.kind]}, not a view`;
    return fail('WRONG_OBJECT_TYPE', { message }, { location });
  }
  if (change.kind === 'owner') return owned(context, snapshot, view, change.to);
  if (snapshot.relation(view.schemaId, change.to) !== undefined) {
    fail('DUPLICATE_OBJECT', { what: 'Relation', name: change.to }, { location });
  }
  const [dependent] = dependentViews(snapshot, [view]);
  if (dependent !== undefined) {
    const message = `"${view.name}" cannot be renamed, because the view "${dependent.name}" depends on it; drop or replace that first`;
    fail('DEPENDENT_OBJECTS', { message }, { location });
  }
  return altered({ ...view, name: change.to });
}

/** @throws TesseraError UNDEFINED_OBJECT */
export function alterLocation(
  context: AccessContext,
  snapshot: Snapshot,
  { name: { parts, location }, ifExists, change }: Alter<'alter_location'>,
): Change {
  const [name = '', databaseName = context.database] = [...parts].reverse();
  const { id } = requireDatabase(snapshot, databaseName, location);
  if (ifExists && snapshot.location(id, name) === undefined) return NO_CHANGE;
  return owned(context, snapshot, requireLocation(snapshot, databaseName, name), change.to);
}

const owned = (context: AccessContext, snapshot: Snapshot, object: CatalogObject, owner: string): Change =>
  altered({ ...object, owner: requirePrincipal(snapshot, { name: owner }, context).name });

const altered = (object: CatalogObject): Change => ({
  actions: [{ kind: 'alter', object: { ...object, alteredAt: new Date().toISOString() } }],
});
