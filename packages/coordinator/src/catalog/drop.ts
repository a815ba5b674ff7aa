import {
  NO_CHANGE,
  placeOf,
  RELATION_WORDS,
  relationAt,
  requireDatabase,
  requireRelation,
  type Snapshot,
} from '@tessera/catalog';
import { fail, nearestName } from '@tessera/common';
import type { DropStatement, ObjectName } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { dropRelations } from '../objects/dependents.ts';
import { dropDatabase, dropSchema } from './databases.ts';
import { dropIndex } from './indexes.ts';
import { dropSequence } from './sequences.ts';

/** @throws TesseraError UNDEFINED_TABLE and relatives, WRONG_OBJECT_TYPE, DEPENDENT_OBJECTS */
export function drop(context: ChangeContext, snapshot: Snapshot, statement: DropStatement): Change {
  switch (statement.object) {
    case 'database':
      return dropDatabase(context, snapshot, statement);
    case 'schema':
      return dropSchema(context, snapshot, statement);
    case 'table':
    case 'view':
      return dropRelation(context, snapshot, statement);
    case 'sequence':
      return dropSequence(snapshot, placeOf(snapshot, statement.name, context.database), statement);
    case 'location':
      return dropLocation(context, snapshot, statement);
    case 'index':
      return dropIndex(context, snapshot, statement);
  }
}

function dropRelation(context: ChangeContext, snapshot: Snapshot, statement: DropStatement): Change {
  const { object, ifExists, cascade } = statement;
  const names = [statement.name, ...statement.others];
  const found = ifExists ? names.filter((name) => isThere(context, snapshot, name)) : names;
  if (found.length === 0) return NO_CHANGE;
  const relations = found.map((name) => {
    const relation = requireRelation(snapshot, placeOf(snapshot, name, context.database));
    const isView = relation.kind === 'view';
    if (isView !== (object === 'view')) {
      const message = `"${relation.name}" is ${RELATION_WORDS[relation.kind]}: use DROP ${isView ? 'VIEW' : 'TABLE'}`;
      fail('WRONG_OBJECT_TYPE', { message }, { location: name.location });
    }
    return relation;
  });
  const each = new Map(relations.map((relation) => [relation.id, relation]));
  return { actions: dropRelations(snapshot, [...each.values()], { cascade }) };
}

/** Whether the object exists; with IF EXISTS the schema and the database may be missing too. */
function isThere({ database }: ChangeContext, snapshot: Snapshot, name: ObjectName): boolean {
  const [, schemaName, databaseName = database] = [...name.parts].reverse();
  const owner = snapshot.database(databaseName);
  if (owner === undefined) return false;
  if (schemaName !== undefined && snapshot.schema(owner.id, schemaName) === undefined) return false;
  return relationAt(snapshot, placeOf(snapshot, name, database)) !== undefined;
}

function dropLocation(
  { database }: ChangeContext,
  snapshot: Snapshot,
  { name, ifExists, cascade }: DropStatement,
): Change {
  const [locationName = '', databaseName = database] = [...name.parts].reverse();
  const { id: databaseId } = requireDatabase(snapshot, databaseName, name.location);
  const found = snapshot.location(databaseId, locationName);
  if (found === undefined) {
    if (ifExists) return NO_CHANGE;
    const names = snapshot.locations(databaseId).map((location) => location.name);
    return fail(
      'UNDEFINED_OBJECT',
      { what: 'Location', name: locationName, nearest: nearestName(locationName, names) },
      { location: name.location },
    );
  }
  const tables = snapshot
    .schemas(databaseId)
    .flatMap((schema) => snapshot.relations(schema.id))
    .filter((relation) => 'locationId' in relation && relation.locationId === found.id);
  if (tables.length > 0 && !cascade) {
    const message = `Location "${locationName}" is used by ${RELATION_WORDS[tables[0]!.kind]}, "${tables[0]!.name}"; CASCADE drops that too`;
    fail('DEPENDENT_OBJECTS', { message }, { location: name.location });
  }
  return { actions: [...dropRelations(snapshot, tables, { cascade }), { kind: 'drop', id: found.id }] };
}
