import type { LocationObject, Snapshot } from '@tessera/catalog';
import { fail, nearestName } from '@tessera/common';
import type { CreateStatement } from '@tessera/sql';
import { type Change, type ChangeContext, NO_CHANGE } from '../changes/change-context.ts';
import { newObject } from './databases.ts';
import { requireDatabase } from './names.ts';

/** A URL with the credentials for it, under a name. */
export function createLocation(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: Extract<CreateStatement, { kind: 'create_location' }>,
): Change {
  const { name, source, url, description, credentials } = statement;
  const { id: databaseId } = requireDatabase(snapshot, context.database);
  const existing = snapshot.location(databaseId, name);
  if (existing !== undefined && statement.ifNotExists) return NO_CHANGE;
  if (existing !== undefined && !statement.orReplace) fail('DUPLICATE_OBJECT', { what: 'Location', name });
  const { id, createdAt, ...fresh } = newObject(context, name);
  const object: LocationObject = {
    kind: 'location',
    id: existing?.id ?? id,
    createdAt: existing?.createdAt ?? createdAt,
    ...fresh,
    databaseId,
    source,
    url,
    credentials,
    ...(description === undefined ? {} : { description }),
  };
  return { actions: [{ kind: existing === undefined ? 'create' : 'alter', object }] };
}

/** @throws TesseraError UNDEFINED_OBJECT */
export function requireLocation(snapshot: Snapshot, database: string, name: string): LocationObject {
  const { id: databaseId } = requireDatabase(snapshot, database);
  const found = snapshot.location(databaseId, name);
  if (found !== undefined) return found;
  const names = snapshot.locations(databaseId).map((location) => location.name);
  return fail('UNDEFINED_OBJECT', { what: 'Location', name, nearest: nearestName(name, names) });
}
