import type { LocationObject, Snapshot } from '@tessera/catalog';
import { fail } from '@tessera/common';
import type { CreateStatement } from '@tessera/sql';
import { type Change, NO_CHANGE } from '../changes/change.ts';
import type { ChangeContext } from '../changes/change-context.ts';
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
