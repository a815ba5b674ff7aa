import {
  type Column,
  type ExternalTableObject,
  NO_CHANGE,
  newObject,
  placeForNew,
  requireLocation,
  type Snapshot,
} from '@tessera/catalog';
import { fail } from '@tessera/common';
import type { CreateStatement } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { checkColumnCount, checkNames } from './columns.ts';
import { isTaken } from './create-table.ts';
import { checkCredentials } from './locations.ts';

/** Defines a name for external files, which are only opened when they are read. */
export function createExternalTable(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: Extract<CreateStatement, { kind: 'create_external_table' }>,
): Change {
  const place = placeForNew(snapshot, statement.name, context.database);
  if (isTaken(snapshot, place, statement.ifNotExists)) return NO_CHANGE;
  checkColumnCount(statement.columns.length);
  checkNames(statement.columns);
  const location =
    statement.locationName === undefined
      ? undefined
      : requireLocation(snapshot, place.database.name, statement.locationName);
  const url =
    statement.url ?? location?.url ?? fail('INVALID_ARGUMENT', { message: 'Expected URL or LOCATION' });
  const columns = statement.columns.map(
    (definition, i): Column => ({
      id: i + 1,
      name: definition.name,
      storedName: definition.name,
      type: definition.kernelType,
      ...(definition.declared === undefined ? {} : { declared: definition.declared }),
      nullable: definition.nullable,
      since: 0,
    }),
  );
  const object: ExternalTableObject = {
    kind: 'external_table',
    ...newObject(context, place.name),
    schemaId: place.schema.id,
    columns,
    url,
    format: statement.format as ExternalTableObject['format'],
    options: { ...statement.options, ...statement.credentials },
    ...(statement.objectPattern === undefined ? {} : { objectPattern: statement.objectPattern }),
    ...(location === undefined ? {} : { locationId: location.id }),
  };
  checkCredentials(context, place.name, statement.credentials);
  return { actions: [{ kind: 'create', object }] };
}
