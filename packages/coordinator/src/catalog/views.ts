import {
  isTemporary,
  keptOf,
  NO_CHANGE,
  newObject,
  placeForNew,
  RELATION_WORDS,
  relationAt,
  type Snapshot,
  type ViewObject,
} from '@tessera/catalog';
import { fail } from '@tessera/common';
import type { CreateStatement } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { describedQuery, queryInPlace } from '../changes/derived-query.ts';
import { isTaken } from './create-table.ts';

/** Creates a view, which is stored as text. It is bound here to validate it and to find its dependencies. */
export async function createView(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: Extract<CreateStatement, { kind: 'create_view' }>,
): Promise<Change> {
  const { query, columnNames, orReplace, ifNotExists } = statement;
  const place = placeForNew(snapshot, statement.name, context.database);
  const existing = relationAt(snapshot, place);
  if (orReplace && existing !== undefined && existing.kind !== 'view') {
    const message = `"${place.name}" is ${RELATION_WORDS[existing.kind]}, not a view`;
    fail('WRONG_OBJECT_TYPE', { message }, { location: place.location });
  }
  if (!orReplace && isTaken(snapshot, place, ifNotExists)) return NO_CHANGE;
  const { columns, relations } = await describedQuery(
    context,
    snapshot,
    queryInPlace(query, context.run.text),
  );
  if (
    isTemporary(snapshot, { schemaId: place.schema.id }) ||
    relations.some((one) => isTemporary(snapshot, one))
  ) {
    const hint =
      'a view is visible to every session, a temporary table only to its own: use CREATE TEMP TABLE … AS';
    fail('NOT_SUPPORTED', { what: 'A view of temporary tables', hint }, { location: place.location });
  }
  const names = columns.map(({ name }, i) => columnNames?.[i] ?? name);
  if (columnNames !== undefined && columnNames.length > columns.length) {
    const message = `The view names ${columnNames.length} columns, but its query returns ${columns.length}`;
    fail('SYNTAX_ERROR', { message }, { location: place.location });
  }
  refuseTwice(names);
  if (existing !== undefined && relations.some(({ id }) => id === existing.id)) {
    fail('INVALID_ARGUMENT', { message: `View "${place.name}" cannot refer to itself` });
  }
  const object: ViewObject = {
    kind: 'view',
    ...newObject(context, place.name),
    ...(existing && keptOf(existing)),
    schemaId: place.schema.id,
    sql: query.sql.trim(),
    database: context.database,
    references: [...new Set(relations.map((relation) => relation.id))],
    ...(columnNames === undefined ? {} : { columnNames }),
  };
  return { actions: [{ kind: existing === undefined ? 'create' : 'alter', object }] };
}

/** @throws TesseraError DUPLICATE_COLUMN for names that are equal or differ only in case, which the kernel could not tell apart */
export function refuseTwice(names: readonly string[]): void {
  const before = new Set<string>();
  const twice = names.find((name) => before.size === before.add(name.toLowerCase()).size);
  if (twice === undefined) return;
  const message = `Column "${twice}" appears twice in the query: rename one of them with AS`;
  fail('DUPLICATE_COLUMN', { message });
}
