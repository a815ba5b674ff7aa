import { fail, nearestName, type SqlLocation } from '@tessera/common';
import type {
  CatalogObject,
  DatabaseObject,
  LocationObject,
  RelationObject,
  SchemaObject,
  SequenceObject,
  TableObject,
} from './model.ts';
import type { Snapshot } from './state/snapshot.ts';

export const DEFAULT_SCHEMA = 'public';
export const INFORMATION_SCHEMA = 'information_schema';
export const PG_CATALOG = 'pg_catalog';

/** Schemas that every database has, of relations that the engine makes as they are read. */
export const isSystemSchema = (name: string): boolean => name === INFORMATION_SCHEMA || name === PG_CATALOG;

/** The name by which a session refers to the schema of its temporary tables. The schema's own name is this, followed by the id of the session. */
export const TEMPORARY_SCHEMA = 'pg_temp';

/** Names that no schema of a user has. */
export const isTemporaryName = (name: string): boolean =>
  name === TEMPORARY_SCHEMA || name.startsWith(`${TEMPORARY_SCHEMA}_`);

/** Whether a relation is a temporary one. */
export function isTemporary(snapshot: Snapshot, { schemaId }: Pick<RelationObject, 'schemaId'>): boolean {
  const schema = snapshot.object(schemaId);
  return schema?.kind === 'schema' && schema.temporaryOf !== undefined;
}

/** A name of one to three parts, `[database, schema, name]`, and where it is in the statement. */
export interface QualifiedName {
  readonly parts: readonly string[];
  readonly location: SqlLocation;
}

/** Where an object is, or will be created. */
export interface Place {
  readonly database: DatabaseObject;
  readonly schema: SchemaObject;
  readonly name: string;
  readonly location: SqlLocation;
}

/** @throws TesseraError DATABASE_NOT_FOUND */
export function requireDatabase(snapshot: Snapshot, name: string, location?: SqlLocation): DatabaseObject {
  return snapshot.database(name) ?? fail('DATABASE_NOT_FOUND', { database: name }, { location });
}

/**
 * The schema that a relation or sequence is looked up in which is named without one: the session's temporary objects come
 * before those of `public`.
 */
export function implicitSchema(snapshot: Snapshot, database: string, name: string): string {
  const owner = snapshot.database(database);
  const temporary = owner && snapshot.schema(owner.id, TEMPORARY_SCHEMA);
  if (temporary === undefined) return DEFAULT_SCHEMA;
  const isThere =
    snapshot.relation(temporary.id, name) !== undefined ||
    snapshot.sequence(temporary.id, name) !== undefined;
  return isThere ? TEMPORARY_SCHEMA : DEFAULT_SCHEMA;
}

/**
 * The schema in which an object is looked up, and its name in that schema, from a name of one to three parts. The object need not exist.
 * @throws TesseraError DATABASE_NOT_FOUND, UNDEFINED_OBJECT, FORBIDDEN for names in information_schema
 */
export function placeOf(snapshot: Snapshot, { parts, location }: QualifiedName, database: string): Place {
  const [name = '', schema, databaseName = database] = [...parts].reverse();
  const schemaName = schema ?? implicitSchema(snapshot, databaseName, name);
  return placeForNew(snapshot, { parts: [databaseName, schemaName, name], location }, database);
}

/**
 * The place for an object that the statement makes: `public` where the name has no schema.
 * @throws TesseraError DATABASE_NOT_FOUND, UNDEFINED_OBJECT, FORBIDDEN for names in information_schema
 */
export function placeForNew(snapshot: Snapshot, { parts, location }: QualifiedName, database: string): Place {
  const [name = '', schemaName = DEFAULT_SCHEMA, databaseName = database] = [...parts].reverse();
  const owner = requireDatabase(snapshot, databaseName, location);
  if (isSystemSchema(schemaName)) {
    fail('FORBIDDEN', { message: `${schemaName} cannot be changed` }, { location });
  }
  const schema = requireSchema(snapshot, owner, schemaName, location);
  return { database: owner, schema, name, location };
}

/** Whether the hint of an error may name an object: only if the user may see the object. */
type Visible = (object: CatalogObject) => boolean;

const ANYTHING: Visible = () => true;

/** @throws TesseraError UNDEFINED_SCHEMA */
export function requireSchema(
  snapshot: Snapshot,
  database: DatabaseObject,
  name: string,
  location?: SqlLocation,
  isVisible = ANYTHING,
): SchemaObject {
  const found = snapshot.schema(database.id, name);
  if (found !== undefined) return found;
  return fail(
    'UNDEFINED_SCHEMA',
    { name, nearest: nearestSchema(snapshot, database, name, isVisible) },
    { location },
  );
}

/**
 * The schema of a relation that a statement reads or changes. As in PostgreSQL, the relation is what is missing if there is no such
 * schema.
 * @throws TesseraError UNDEFINED_TABLE
 */
export function requireSchemaOf(
  snapshot: Snapshot,
  database: DatabaseObject,
  relation: { readonly schema: string; readonly name: string; readonly location: SqlLocation | undefined },
  isVisible = ANYTHING,
): SchemaObject {
  const { schema, name, location } = relation;
  const found = snapshot.schema(database.id, schema);
  if (found !== undefined) return found;
  const nearest = nearestSchema(snapshot, database, schema, isVisible);
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  const message = `Table "${schema}.${name}" does not exist: there is no schema "${schema}"${hint}`;
  return fail('UNDEFINED_TABLE', { message }, { location });
}

const nearestSchema = (
  snapshot: Snapshot,
  database: DatabaseObject,
  name: string,
  isVisible: Visible,
): string | undefined =>
  nearestName(
    name,
    snapshot
      .schemas(database.id)
      .filter(isVisible)
      .map((schema) => schema.name),
  );

export const relationAt = (
  snapshot: Snapshot,
  place: Pick<Place, 'schema' | 'name'>,
): RelationObject | undefined => snapshot.relation(place.schema.id, place.name);

/** @throws TesseraError UNDEFINED_TABLE */
export function requireRelation(
  snapshot: Snapshot,
  place: Omit<Place, 'database' | 'location'> & { readonly location?: SqlLocation | undefined },
  isVisible = ANYTHING,
): RelationObject {
  const found = relationAt(snapshot, place);
  if (found !== undefined) return found;
  const names = snapshot
    .relations(place.schema.id)
    .filter(isVisible)
    .map((relation) => relation.name);
  const nearest = nearestName(place.name, names);
  const message = `Table "${place.name}" does not exist${nearest ? ` (did you mean ${nearest}?)` : ''}`;
  return fail('UNDEFINED_TABLE', { message }, { location: place.location });
}

/** @throws TesseraError UNDEFINED_TABLE, WRONG_OBJECT_TYPE for another relation */
export function requireSequence(
  snapshot: Snapshot,
  {
    schema,
    name,
    location,
  }: Pick<Place, 'schema' | 'name'> & { readonly location?: SqlLocation | undefined },
  isVisible = ANYTHING,
): SequenceObject {
  const found = snapshot.sequence(schema.id, name);
  if (found !== undefined) return found;
  const relation = snapshot.relation(schema.id, name);
  if (relation !== undefined) {
    const message = `"${name}" is ${RELATION_WORDS[relation.kind]}, not a sequence`;
    fail('WRONG_OBJECT_TYPE', { message }, { location });
  }
  const names = snapshot.sequences(schema.id).filter(isVisible);
  const nearest = nearestName(
    name,
    names.map((sequence) => sequence.name),
  );
  const message = `Sequence "${name}" does not exist${nearest ? ` (did you mean ${nearest}?)` : ''}`;
  return fail('UNDEFINED_TABLE', { message }, { location });
}

/**
 * The table of an INSERT, UPDATE, DELETE or MERGE.
 * @throws TesseraError UNDEFINED_TABLE, also for a missing schema, WRONG_OBJECT_TYPE for a view or an external table
 */
export function requireChangedTable(snapshot: Snapshot, name: QualifiedName, database: string): TableObject {
  const [table = '', schema, databaseName = database] = [...name.parts].reverse();
  const owner = snapshot.database(databaseName);
  if (owner !== undefined && schema !== undefined && !isSystemSchema(schema))
    requireSchemaOf(snapshot, owner, { schema, name: table, location: name.location });
  return requireTable(snapshot, name, database);
}

/** @throws TesseraError UNDEFINED_TABLE, WRONG_OBJECT_TYPE for a view or an external table */
export function requireTable(snapshot: Snapshot, name: QualifiedName, database: string): TableObject {
  const found = requireRelation(snapshot, placeOf(snapshot, name, database));
  if (found.kind === 'table') return found;
  const message = `"${found.name}" is ${RELATION_WORDS[found.kind]}, not a table`;
  return fail('WRONG_OBJECT_TYPE', { message }, { location: name.location });
}

/** Database, schema and name of a table that is in the snapshot. */
export function nameOfTable(snapshot: Snapshot, table: TableObject): readonly string[] {
  const schema = snapshot.object(table.schemaId) as SchemaObject;
  const database = snapshot.object(schema.databaseId) as DatabaseObject;
  return [database.name, schema.name, table.name];
}

/** @throws TesseraError UNDEFINED_OBJECT */
export function requireLocation(
  snapshot: Snapshot,
  database: string,
  name: string,
  isVisible = ANYTHING,
): LocationObject {
  const { id: databaseId } = requireDatabase(snapshot, database);
  const found = snapshot.location(databaseId, name);
  if (found !== undefined) return found;
  const names = snapshot
    .locations(databaseId)
    .filter(isVisible)
    .map((location) => location.name);
  return fail('UNDEFINED_OBJECT', { what: 'Location', name, nearest: nearestName(name, names) });
}

export const RELATION_WORDS = {
  table: 'a table',
  view: 'a view',
  external_table: 'an external table',
} as const;
