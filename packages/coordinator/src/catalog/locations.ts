import {
  keptOf,
  type LocationObject,
  NO_CHANGE,
  newObject,
  requireDatabase,
  type Snapshot,
} from '@tessera/catalog';
import { fail, secretKeys } from '@tessera/common';
import { checkCredentialNames } from '@tessera/object-store';
import type { CreateStatement } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';

/** Stores a URL with its credentials under a name. */
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
  const object: LocationObject = {
    kind: 'location',
    ...newObject(context, name),
    ...(existing && keptOf(existing)),
    databaseId,
    source,
    url,
    credentials,
    ...(description === undefined ? {} : { description }),
  };
  checkCredentials(context, name, credentials);
  return { actions: [{ kind: existing === undefined ? 'create' : 'alter', object }] };
}

/**
 * Checks the names of credentials, and warns of clear text: without a key, the credentials are stored so in the log, its checkpoints and backups.
 * @throws TesseraError INVALID_ARGUMENT
 */
export function checkCredentials(
  { run }: ChangeContext,
  name: string,
  credentials: Readonly<Record<string, string>>,
): void {
  checkCredentialNames(credentials);
  if (Object.keys(credentials).length === 0 || secretKeys().canSeal) return;
  run.query.notices.warn(
    `the credentials of "${name}" are stored unencrypted, because the node has no TESSERA_SECRETS_KEY`,
    {
      resolution:
        'Set TESSERA_SECRETS_KEY on every node; credentials are then encrypted at the next checkpoint.',
    },
  );
}
