import type { CatalogObject, DatabaseObject, SchemaObject, Snapshot } from '@tessera/catalog';
import { requireSequence } from '@tessera/catalog';
import { fail, nearestName, type SqlLocation } from '@tessera/common';
import type {
  AlterStatement,
  ConstraintDefinition,
  CreateStatement,
  DropStatement,
  ObjectName,
} from '@tessera/sql';
import {
  privilegeOn,
  type RequirementScope,
  type Requirements,
  relationIfAny,
  relationNamed,
  schemaOfNew,
  schemaOfRelation,
  usableDatabase,
  usableLocation,
  usableSchema,
} from './lookup.ts';
import type { Requirement } from './requirement.ts';

const onEngine = (
  privilege: Extract<Requirement, { kind: 'engine privilege' }>['privilege'],
): Requirement => ({ kind: 'engine privilege', privilege });

const ownershipOf = (object: CatalogObject, location?: SqlLocation): Requirement => ({
  kind: 'ownership',
  object,
  location,
});

/** The requirements of CREATE statements. What their queries read is checked when these are bound. */
export function* createRequirements(scope: RequirementScope, statement: CreateStatement): Requirements {
  switch (statement.kind) {
    case 'create_database':
      yield onEngine('CREATE DATABASE');
      break;
    case 'create_schema': {
      const { parts, location } = statement.name;
      const database = yield* usableDatabase(scope, parts.at(-2) ?? scope.database, location);
      yield privilegeOn(database, 'CREATE', location);
      break;
    }
    case 'create_table':
      yield* tableRequirements(scope, statement);
      yield* referenceRequirements(scope, statement.constraints, statement.name);
      break;
    case 'create_table_as':
      yield* tableRequirements(scope, statement);
      break;
    case 'create_sequence':
      if (statement.isTemporary)
        yield* usableDatabase(scope, statement.name.parts.at(-3) ?? scope.database, statement.name.location);
      else yield* creationIn(scope, statement.name);
      break;
    case 'clone_table': {
      yield* creationIn(scope, statement.name);
      const source = yield* relationNamed(scope, statement.source);
      if (source !== undefined) yield privilegeOn(source, 'SELECT', statement.source.location);
      break;
    }
    case 'create_view': {
      const existing = yield* relationIfAny(scope, statement.name);
      if (statement.orReplace && existing !== undefined) yield ownershipOf(existing, statement.name.location);
      else yield* creationIn(scope, statement.name);
      break;
    }
    case 'create_external_table':
      yield* creationIn(scope, statement.name);
      if (statement.locationName !== undefined) yield* usableLocation(scope, statement.locationName);
      if (statement.url !== undefined) yield onEngine('READ EXTERNAL');
      break;
    case 'create_location':
      yield* locationRequirements(scope, statement);
      break;
    case 'create_aggregating_index':
    case 'create_skip_index': {
      const table = yield* relationNamed(scope, statement.table);
      if (table !== undefined) yield ownershipOf(table, statement.table.location);
      break;
    }
    default:
      statement satisfies never;
  }
}

/** Every user of a database may create temporary tables in it, as PostgreSQL allows by default. */
function* tableRequirements(
  scope: RequirementScope,
  statement: Extract<CreateStatement, { kind: 'create_table' | 'create_table_as' }>,
): Requirements {
  const { name, temporary, shape } = statement;
  if (temporary === undefined) yield* replacementOf(scope, statement);
  else yield* usableDatabase(scope, name.parts.at(-3) ?? scope.database, name.location);
  if (shape.locationName !== undefined) yield* usableLocation(scope, shape.locationName);
}

/** Replacing a table requires the privileges to create one and to drop the existing one. */
function* replacementOf(
  scope: RequirementScope,
  { name, orReplace }: { readonly name: ObjectName; readonly orReplace: boolean },
): Requirements {
  yield* creationIn(scope, name);
  const existing = orReplace ? yield* relationIfAny(scope, name) : undefined;
  if (existing !== undefined) yield ownershipOf(existing, name.location);
}

function* creationIn(scope: RequirementScope, name: ObjectName): Requirements {
  const schema = yield* schemaOfNew(scope, name);
  if (schema !== undefined) yield privilegeOn(schema, 'CREATE', name.location);
}

/**
 * Foreign keys require SELECT on the referenced tables, because the catalog shows their columns with the
 * foreign key.
 * @param created the table that the statement creates, which may reference itself
 */
function* referenceRequirements(
  scope: RequirementScope,
  constraints: readonly ConstraintDefinition[],
  created?: ObjectName,
): Requirements {
  for (const constraint of constraints) {
    if (constraint.kind !== 'foreign_key') continue;
    const { table } = constraint;
    const isOwn = created?.parts.at(-1) === table.parts.at(-1);
    const referenced = isOwn ? yield* relationIfAny(scope, table) : yield* relationNamed(scope, table);
    if (referenced !== undefined) yield privilegeOn(referenced, 'SELECT', table.location);
  }
}

/**
 * A location gives its users read and write access with USAGE alone, so its creator must be allowed to do
 * both anywhere.
 */
function* locationRequirements(
  scope: RequirementScope,
  { name, orReplace }: Extract<CreateStatement, { kind: 'create_location' }>,
): Requirements {
  const database = yield* usableDatabase(scope, scope.database);
  const existing = scope.snapshot.location(database.id, name);
  if (orReplace && existing !== undefined) yield ownershipOf(existing);
  else yield privilegeOn(database, 'CREATE');
  yield onEngine('READ EXTERNAL');
  yield onEngine('WRITE EXTERNAL');
}

export function* alterRequirements(scope: RequirementScope, statement: AlterStatement): Requirements {
  switch (statement.kind) {
    case 'alter_database': {
      const database = yield* usableDatabase(scope, statement.name);
      yield ownershipOf(database);
      break;
    }
    case 'alter_schema': {
      const schema = yield* schemaNamed(scope, statement.name);
      if (schema !== undefined) yield ownershipOf(schema, statement.name.location);
      break;
    }
    case 'alter_table':
    case 'alter_view': {
      const name = statement.kind === 'alter_view' ? statement.view : statement.table;
      const relation = yield* relationNamed(scope, name, statement);
      if (relation !== undefined) yield ownershipOf(relation, name.location);
      break;
    }
    case 'alter_sequence': {
      const sequence = yield* sequenceNamed(scope, statement);
      if (sequence !== undefined) yield ownershipOf(sequence, statement.name.location);
      break;
    }
    case 'alter_location': {
      const location = yield* locationNamed(scope, statement);
      if (location !== undefined) yield ownershipOf(location, statement.name.location);
      break;
    }
    default:
      statement satisfies never;
  }
  const changes = statement.kind === 'alter_table' ? statement.changes : [statement.change];
  for (const change of changes) {
    if (change.kind === 'owner') yield newOwner(scope, change.to);
    if (change.kind === 'add_column') yield* referenceRequirements(scope, change.constraints);
    if (change.kind === 'add_constraint') yield* referenceRequirements(scope, [change.constraint]);
  }
}

/**
 * Requirements for a new owner: giving away a view or another object must not be a way to gain what the view
 * reads or what its owner may do.
 */
export const newOwner = (scope: RequirementScope, name: string): Requirement => ({
  kind: 'membership',
  of: nameOfPrincipal(scope, name),
});

const ASKER = new Set(['current_user', 'session_user', 'current_role']);

/** The name of a principal; some keywords denote the executing user. */
export const nameOfPrincipal = ({ user }: Pick<RequirementScope, 'user'>, name: string): string =>
  ASKER.has(name) ? user : name;

/** `[database.]schema`. */
export function schemaNamed(
  scope: RequirementScope,
  { parts, location }: ObjectName,
): Requirements<SchemaObject | undefined> {
  const [schema = '', database] = [...parts].reverse();
  return usableSchema(scope, { schema, database }, location);
}

/** Undefined if there is no such sequence. */
function* sequenceNamed(
  scope: RequirementScope,
  { name, ifExists }: { readonly name: ObjectName; readonly ifExists: boolean },
): Requirements<CatalogObject | undefined> {
  const schema = yield* schemaOfRelation(scope, name);
  if (schema === undefined) return undefined;
  const place = { schema, name: name.parts.at(-1) ?? '', location: name.location };
  if (ifExists) return scope.snapshot.sequence(schema.id, place.name);
  return requireSequence(scope.snapshot, place, scope.isVisible);
}

/** `[database.]location`; undefined if there is no such location. */
function* locationNamed(
  scope: RequirementScope,
  { name, ifExists }: { readonly name: ObjectName; readonly ifExists: boolean },
): Requirements<CatalogObject | undefined> {
  const [locationName = '', databaseName = scope.database] = [...name.parts].reverse();
  const database = yield* usableDatabase(scope, databaseName, name.location);
  const found = scope.snapshot.location(database.id, locationName);
  if (found !== undefined || ifExists) return found;
  const names = scope.snapshot.locations(database.id).filter(scope.isVisible);
  return undefinedObject('Location', locationName, names, name.location);
}

export function* dropRequirements(scope: RequirementScope, statement: DropStatement): Requirements {
  const { name, ifExists } = statement;
  const { snapshot } = scope;
  switch (statement.object) {
    case 'database': {
      const databaseName = name.parts.at(-1) ?? '';
      if (ifExists && snapshot.database(databaseName) === undefined) return;
      yield ownershipOf(yield* usableDatabase(scope, databaseName, name.location), name.location);
      return;
    }
    case 'schema': {
      const [schemaName = '', databaseName = scope.database] = [...name.parts].reverse();
      const database = yield* usableDatabase(scope, databaseName, name.location);
      const isThere = snapshot.schema(database.id, schemaName) !== undefined;
      const schema = ifExists && !isThere ? undefined : yield* schemaNamed(scope, name);
      if (schema !== undefined) yield removal(snapshot, schema, name.location);
      return;
    }
    case 'table':
    case 'view': {
      for (const one of [name, ...statement.others]) {
        const relation = yield* relationNamed(scope, one, statement);
        if (relation !== undefined) yield removal(snapshot, relation, one.location);
      }
      return;
    }
    case 'sequence': {
      const sequence = yield* sequenceNamed(scope, statement);
      if (sequence !== undefined) yield removal(snapshot, sequence, name.location);
      return;
    }
    case 'location': {
      const location = yield* locationNamed(scope, statement);
      if (location !== undefined) yield removal(snapshot, location, name.location);
      return;
    }
    case 'index': {
      const schema = yield* schemaOfRelation(scope, name);
      if (schema === undefined) return;
      const table = tableOfIndex(scope, schema, statement);
      if (table !== undefined) yield ownershipOf(table, name.location);
      return;
    }
    default:
      statement.object satisfies never;
  }
}

/** The owner of the schema or the database may also drop an object, but nothing more. */
function removal(snapshot: Snapshot, object: CatalogObject, location: SqlLocation): Requirement {
  const containers = containersOf(snapshot, object).map((container) => ownershipOf(container, location));
  return { kind: 'one of', requirements: [ownershipOf(object, location), ...containers], location };
}

/** The containers of an object, the nearest first. */
function containersOf(snapshot: Snapshot, object: CatalogObject): (DatabaseObject | SchemaObject)[] {
  const parent =
    'schemaId' in object
      ? snapshot.object(object.schemaId)
      : 'databaseId' in object
        ? snapshot.object(object.databaseId)
        : undefined;
  if (parent?.kind !== 'schema' && parent?.kind !== 'database') return [];
  return [parent, ...containersOf(snapshot, parent)];
}

function tableOfIndex(
  { snapshot, isVisible }: RequirementScope,
  schema: SchemaObject,
  { name, ifExists }: DropStatement,
): CatalogObject | undefined {
  const indexName = name.parts.at(-1) ?? '';
  const tables = snapshot.relations(schema.id).filter((relation) => relation.kind === 'table');
  const found = tables.find(({ indexes }) => indexes.some((index) => index.name === indexName));
  if (found !== undefined || ifExists) return found;
  const indexes = tables.filter(isVisible).flatMap((table) => table.indexes);
  return undefinedObject('Index', indexName, indexes, name.location);
}

function undefinedObject(
  what: string,
  name: string,
  known: readonly { readonly name: string }[],
  location: SqlLocation,
): never {
  const nearest = nearestName(
    name,
    known.map((one) => one.name),
  );
  return fail('UNDEFINED_OBJECT', { what, name, nearest }, { location });
}
