import { requirePrincipal } from '@tessera/access-control';
import {
  type Action,
  type DatabaseObject,
  DEFAULT_SCHEMA,
  isSystemSchema,
  isTemporaryName,
  NO_CHANGE,
  newObject,
  requireDatabase,
  requireSchema,
  type SchemaObject,
  type Snapshot,
  usageForEverybody,
} from '@tessera/catalog';
import { fail, type SqlLocation, TesseraError } from '@tessera/common';
import type { AlterStatement, CreateStatement, DropStatement } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { dropOf, dropRelations, schemaDrops, withoutTwice } from '../objects/dependents.ts';
import { DEFAULT_DATABASE } from '../request/request-session.ts';
import { ofAllSessions } from '../temporary/session-snapshot.ts';

export function createDatabase(
  context: ChangeContext,
  snapshot: Snapshot,
  { name, ifNotExists, description }: Extract<CreateStatement, { kind: 'create_database' }>,
): Change {
  if (snapshot.database(name) !== undefined) {
    if (ifNotExists) return NO_CHANGE;
    throw TesseraError.of('DUPLICATE_DATABASE', { name });
  }
  const grants = usageForEverybody(context.user);
  const database: DatabaseObject = {
    kind: 'database',
    ...newObject(context, name),
    grants,
    ...(description === undefined ? {} : { description }),
  };
  const schema: SchemaObject = {
    kind: 'schema',
    ...newObject(context, DEFAULT_SCHEMA),
    grants,
    databaseId: database.id,
  };
  return {
    actions: [
      { kind: 'create', object: database },
      { kind: 'create', object: schema },
    ],
  };
}

export function alterDatabase(
  context: ChangeContext,
  snapshot: Snapshot,
  { name, change }: Extract<AlterStatement, { kind: 'alter_database' }>,
): Change {
  const database = requireDatabase(snapshot, name);
  const alteredAt = new Date().toISOString();
  const alter = (changed: Partial<DatabaseObject>): Change => ({
    actions: [{ kind: 'alter', object: { ...database, ...changed, alteredAt } }],
  });
  switch (change.kind) {
    case 'rename':
      if (database.name === DEFAULT_DATABASE) {
        fail('FORBIDDEN', { message: `Database "${name}" is the default database and cannot be renamed` });
      }
      if (snapshot.database(change.to) !== undefined) {
        fail('DUPLICATE_DATABASE', { name: change.to });
      }
      return alter({ name: change.to });
    case 'owner':
      return alter({ owner: requirePrincipal(snapshot, { name: change.to }, context).name });
    case 'description':
      return alter({ description: change.to });
  }
}

/** As in PostgreSQL, a database is dropped with everything in it. */
export function dropDatabase(context: ChangeContext, snapshot: Snapshot, statement: DropStatement): Change {
  const name = statement.name.parts.at(-1) ?? '';
  const database = snapshot.database(name);
  if (database === undefined && statement.ifExists) return NO_CHANGE;
  const { id } = requireDatabase(snapshot, name, statement.name.location);
  if (name === DEFAULT_DATABASE) {
    fail('FORBIDDEN', { message: `Database "${name}" is the default database and cannot be dropped` });
  }
  if (name === context.database) {
    fail('FORBIDDEN', { message: `Database "${name}" is in use by this statement and cannot be dropped` });
  }
  const all = ofAllSessions(snapshot);
  const schemas = all.schemas(id);
  const relations = schemas.flatMap((schema) => all.relations(schema.id));
  const actions: Action[] = [
    ...withoutTwice([
      ...dropRelations(all, relations, { cascade: statement.cascade }),
      ...schemas.flatMap((schema) => all.sequences(schema.id).map(dropOf)),
    ]),
    ...all.locations(id).map((location): Action => ({ kind: 'drop', id: location.id })),
    ...schemas.map((schema): Action => ({ kind: 'drop', id: schema.id })),
    { kind: 'drop', id },
  ];
  return { actions };
}

export function createSchema(
  context: ChangeContext,
  snapshot: Snapshot,
  { name, ifNotExists }: Extract<CreateStatement, { kind: 'create_schema' }>,
): Change {
  const [schemaName = '', databaseName = context.database] = [...name.parts].reverse();
  const database = requireDatabase(snapshot, databaseName, name.location);
  if (snapshot.schema(database.id, schemaName) !== undefined || isSystemSchema(schemaName)) {
    if (ifNotExists) return NO_CHANGE;
    fail('DUPLICATE_SCHEMA', { name: schemaName }, { location: name.location });
  }
  refuseTemporaryName(schemaName, name.location);
  const schema: SchemaObject = {
    kind: 'schema',
    ...newObject(context, schemaName),
    databaseId: database.id,
  };
  return { actions: [{ kind: 'create', object: schema }] };
}

/** @throws TesseraError FORBIDDEN for names that are reserved for the schemas of temporary tables */
export function refuseTemporaryName(name: string, location: SqlLocation): void {
  if (!isTemporaryName(name)) return;
  const message = `Schema name "${name}" is reserved for the temporary tables of sessions`;
  fail('FORBIDDEN', { message }, { location });
}

export function dropSchema(context: ChangeContext, snapshot: Snapshot, statement: DropStatement): Change {
  const { name, ifExists, cascade } = statement;
  const [schemaName = '', databaseName = context.database] = [...name.parts].reverse();
  const database = requireDatabase(snapshot, databaseName, name.location);
  if (isSystemSchema(schemaName)) {
    fail('FORBIDDEN', { message: `${schemaName} cannot be dropped` }, { location: name.location });
  }
  if (ifExists && snapshot.schema(database.id, schemaName) === undefined) return NO_CHANGE;
  const schema = requireSchema(snapshot, database, schemaName, name.location);
  const relations = snapshot.relations(schema.id);
  const sequences = snapshot.sequences(schema.id);
  if (relations.length + sequences.length > 0 && !cascade) {
    const names = [...relations, ...sequences]
      .slice(0, 5)
      .map((relation) => relation.name)
      .join(', ');
    const more = relations.length + sequences.length > 5 ? ', …' : '';
    const message = `Schema "${schemaName}" is not empty (${names}${more}); CASCADE drops all of it`;
    fail('DEPENDENT_OBJECTS', { message }, { location: name.location });
  }
  return { actions: schemaDrops(snapshot, schema) };
}
