import type {
  DatabaseObject,
  LocationObject,
  Privilege,
  RelationObject,
  SchemaObject,
  Snapshot,
} from '@tessera/catalog';
import {
  DEFAULT_SCHEMA,
  implicitSchema,
  isSystemSchema,
  requireDatabase,
  requireLocation,
  requireRelation,
  requireSchema,
  requireSchemaOf,
} from '@tessera/catalog';
import type { SqlLocation } from '@tessera/common';
import type { ObjectName } from '@tessera/sql';
import type { Visible } from '../rights/visible.ts';
import type { Requirement, SecuredObject } from './requirement.ts';

/** The context in which the requirements of a statement are determined. */
export interface RequirementScope {
  readonly snapshot: Snapshot;
  /** The database of unqualified names. */
  readonly database: string;
  /** The user who runs the statement. */
  readonly user: string;
  /** The objects that hints may mention. */
  readonly isVisible: Visible;
}

/**
 * The privileges that a statement requires, in the order in which they must be checked. The consumer requests
 * the next one only if it has the previous ones, so names are only looked up in places that the user may use.
 * `T` is the object that was found.
 */
export type Requirements<T = void> = Generator<Requirement, T, undefined>;

export const privilegeOn = (
  object: SecuredObject,
  privilege: Privilege,
  location?: SqlLocation,
): Requirement => ({ kind: 'privilege', privilege, object, location });

/** @throws TesseraError DATABASE_NOT_FOUND */
export function* usableDatabase(
  { snapshot }: RequirementScope,
  name: string,
  location?: SqlLocation,
): Requirements<DatabaseObject> {
  const database = requireDatabase(snapshot, name, location);
  yield privilegeOn(database, 'USAGE', location);
  return database;
}

/**
 * Undefined for information_schema and pg_catalog, which have no owner. @throws TesseraError
 * DATABASE_NOT_FOUND, UNDEFINED_OBJECT
 */
export function* usableSchema(
  scope: RequirementScope,
  { schema, database = scope.database }: { readonly schema: string; readonly database?: string | undefined },
  location?: SqlLocation,
): Requirements<SchemaObject | undefined> {
  const owner = yield* usableDatabase(scope, database, location);
  if (isSystemSchema(schema)) return undefined;
  const found = requireSchema(scope.snapshot, owner, schema, location, scope.isVisible);
  yield privilegeOn(found, 'USAGE', location);
  return found;
}

/** The schema of an existing relation. */
export const schemaOfRelation = (
  scope: RequirementScope,
  { parts, location }: ObjectName,
): Requirements<SchemaObject | undefined> => {
  const [name = '', schema, database = scope.database] = [...parts].reverse();
  return usableSchema(
    scope,
    { schema: schema ?? implicitSchema(scope.snapshot, database, name), database },
    location,
  );
};

/** The schema of a relation to be created. */
export const schemaOfNew = (
  scope: RequirementScope,
  { parts, location }: ObjectName,
): Requirements<SchemaObject | undefined> => {
  const [, schema = DEFAULT_SCHEMA, database] = [...parts].reverse();
  return usableSchema(scope, { schema, database }, location);
};

/**
 * The relation that a new one with this name would replace. Undefined if there is none, and for views of
 * information_schema.
 */
export function* relationIfAny(
  scope: RequirementScope,
  name: ObjectName,
): Requirements<RelationObject | undefined> {
  const schema = yield* schemaOfNew(scope, name);
  return schema && scope.snapshot.relation(schema.id, name.parts.at(-1) ?? '');
}

/**
 * The relation of a name. With `ifExists`, a missing schema or database means that there is no such relation.
 * @throws TesseraError UNDEFINED_TABLE with a hint at relations that the user may see
 */
export function* relationNamed(
  scope: RequirementScope,
  name: ObjectName,
  { ifExists = false }: { readonly ifExists?: boolean } = {},
): Requirements<RelationObject | undefined> {
  if (ifExists && !hasPlace(scope, name)) return undefined;
  const schema = yield* schemaOfRelation(scope, name);
  if (schema === undefined) return undefined;
  const { snapshot, isVisible } = scope;
  const place = { schema, name: name.parts.at(-1) ?? '', location: name.location };
  if (ifExists) return snapshot.relation(schema.id, place.name);
  return requireRelation(snapshot, place, isVisible);
}

/**
 * The table of a change of rows.
 * @throws TesseraError UNDEFINED_TABLE, also for a missing schema
 */
export function* changedTable(
  scope: RequirementScope,
  name: ObjectName,
): Requirements<RelationObject | undefined> {
  const { parts, location } = name;
  const [table = '', schema, database = scope.database] = [...parts].reverse();
  const owner = scope.snapshot.database(database);
  if (owner !== undefined && schema !== undefined && !isSystemSchema(schema))
    requireSchemaOf(scope.snapshot, owner, { schema, name: table, location }, scope.isVisible);
  return yield* relationNamed(scope, name);
}

function hasPlace({ snapshot, database }: RequirementScope, { parts }: ObjectName): boolean {
  const [, schema = DEFAULT_SCHEMA, databaseName = database] = [...parts].reverse();
  const owner = snapshot.database(databaseName);
  return owner !== undefined && snapshot.schema(owner.id, schema) !== undefined;
}

/** @throws TesseraError UNDEFINED_OBJECT */
export function* usableLocation(
  scope: RequirementScope,
  name: string,
  at?: SqlLocation,
): Requirements<LocationObject> {
  yield* usableDatabase(scope, scope.database, at);
  const location = requireLocation(scope.snapshot, scope.database, name, scope.isVisible);
  yield privilegeOn(location, 'USAGE', at);
  return location;
}
