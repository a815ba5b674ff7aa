import {
  type Action,
  type Column,
  DEFAULT_GRANULARITY,
  locationPrefix,
  NO_CHANGE,
  newObject,
  type Place,
  RELATION_WORDS,
  relationAt,
  requireLocation,
  type Snapshot,
  type TableObject,
} from '@tessera/catalog';
import { fail, newUlid } from '@tessera/common';
import { isLocated } from '@tessera/object-store';
import type { CreateStatement, TableShape } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { checkExpressions } from '../objects/definition-check.ts';
import { dropRelations } from '../objects/dependents.ts';
import { columnNamed, newColumns } from './columns.ts';
import { withConstraints } from './constraints.ts';
import { withSequences } from './sequences.ts';
import { keepUntil, placeForTable } from './temporary-place.ts';

const GRANULARITY_RANGE = { min: 2_048, max: 16_777_216 } as const;

export async function createTable(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: Extract<CreateStatement, { kind: 'create_table' }>,
): Promise<Change> {
  const { place, opened } = placeForTable(context, snapshot, statement);
  const replaced = [...opened, ...replacedBy(snapshot, place, statement)];
  const without = snapshot.withActions(replaced);
  if (isTaken(without, place, statement.ifNotExists)) return NO_CHANGE;
  const columns = await newColumns(context, statement.columns);
  const plain = await newTable(context, without, place, columns, statement.shape);
  const constrained = await withConstraints(context, without, plain, statement.constraints);
  const { table, sequences } = withSequences(context, without, constrained, statement.columns);
  const created = [table, ...sequences].map((object): Action => ({ kind: 'create', object }));
  keepUntil(context, table, statement);
  return { actions: [...replaced, ...created] };
}

/**
 * The actions that drop the table which OR REPLACE replaces, and its sequences; they are committed together
 * with the new table.
 * @throws TesseraError WRONG_OBJECT_TYPE for a view or an external table, DEPENDENT_OBJECTS if another object
 * refers to the table
 */
export function replacedBy(
  snapshot: Snapshot,
  place: Place,
  { orReplace }: { readonly orReplace: boolean },
): readonly Action[] {
  const existing = orReplace ? relationAt(snapshot, place) : undefined;
  if (existing === undefined) return [];
  if (existing.kind === 'table') return dropRelations(snapshot, [existing], { cascade: false });
  const message = `"${existing.name}" is ${RELATION_WORDS[existing.kind]}, not a table`;
  return fail('WRONG_OBJECT_TYPE', { message }, { location: place.location });
}

/**
 * Whether the name is taken and the statement accepts that.
 * @throws TesseraError DUPLICATE_OBJECT
 */
export function isTaken(snapshot: Snapshot, place: Place, ifNotExists: boolean): boolean {
  const existing = relationAt(snapshot, place);
  if (existing === undefined) return false;
  if (ifNotExists) return true;
  const what = RELATION_WORDS[existing.kind].replace(/^an? /, '');
  return fail(
    'DUPLICATE_OBJECT',
    { what: what[0]!.toUpperCase() + what.slice(1), name: place.name },
    { location: place.location },
  );
}

/** @throws TesseraError if the clauses that define a table are invalid */
export async function newTable(
  context: ChangeContext,
  snapshot: Snapshot,
  place: Place,
  columns: readonly Column[],
  shape: TableShape,
): Promise<TableObject> {
  const location = locationOf(snapshot, place, shape);
  await checkLocation(context, location);
  await checkExpressions(context, shape.partitionBy, columns, { constantsFor: 'PARTITION BY' });
  return {
    kind: 'table',
    ...newObject(context, place.name),
    schemaId: place.schema.id,
    tableType: shape.tableType,
    columns,
    primaryIndex: shape.primaryIndex.map(
      (name, i) => columnNamed(columns, name, shape.primaryIndexLocations[i]).id,
    ),
    partitionBy: shape.partitionBy.map(({ sql }) => sql.trim()),
    indexGranularity: granularityOf(shape),
    schemaVersion: 0,
    nextColumnId: columns.length + 1,
    ...location,
    indexes: [],
  };
}

function granularityOf({ options }: TableShape): number {
  for (const name of Object.keys(options)) {
    if (name === 'index_granularity') continue;
    const message = `Unknown option ${name} of a table (known: index_granularity)`;
    fail('INVALID_ARGUMENT', { message });
  }
  const { index_granularity: text } = options;
  if (text === undefined) return DEFAULT_GRANULARITY;
  const value = Number(text);
  const { min, max } = GRANULARITY_RANGE;
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const message = `index_granularity must be an integer from ${min} to ${max} (rows), not ${text}`;
  return fail('INVALID_ARGUMENT', { message });
}

/**
 * The place at which the tablets of a new table are stored; empty for the managed store. The URL of a LOCATION object is copied into
 * the table, so it may be changed later; the credentials stay in the object.
 * @throws TesseraError UNDEFINED_OBJECT
 */
function locationOf(
  snapshot: Snapshot,
  { database }: Place,
  { location, locationName }: TableShape,
): Pick<TableObject, 'location' | 'locationId'> {
  if (locationName === undefined) return location === undefined ? {} : { location };
  const { id, url, credentials } = requireLocation(snapshot, database.name, locationName);
  if (Object.keys(credentials).length === 0) return { location: url };
  return { location: url, locationId: id };
}

/**
 * Checks that this node can keep objects at the location.
 * @throws TesseraError FORBIDDEN, NOT_SUPPORTED, STORAGE_UNAVAILABLE
 */
async function checkLocation(
  { tables }: ChangeContext,
  place: Pick<TableObject, 'location' | 'locationId'>,
): Promise<void> {
  const { location } = place;
  if (location === undefined) return;
  if (!tables.storage.enableManagedLocation) {
    const message =
      'LOCATION of a managed table is not allowed in this engine (storage.enable_managed_location)';
    fail('FORBIDDEN', { message });
  }
  const { store, storeId } = tables;
  const prefix = locationPrefix(place, { url: store.url, id: storeId });
  if (!isLocated(prefix)) return;
  // A user name in a URL would be taken for the id of a LOCATION object, and so for the right to use its credentials.
  if (!/^(s3|gs|azure):\/\/[^/@]+(\/|$)/.test(location)) {
    fail('NOT_SUPPORTED', {
      what: `LOCATION '${location}'`,
      hint: `a location is a prefix of a bucket (s3://, gs://, azure://), or below ${store.url}`,
    });
  }
  const key = `${prefix}tablets/${newUlid()}`;
  const body = new TextEncoder().encode(key);
  await store.put(key, body);
  try {
    await store.getRange(key, 0, body.length);
  } finally {
    await store.delete([key]);
  }
}
