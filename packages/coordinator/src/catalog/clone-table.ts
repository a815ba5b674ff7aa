import {
  type Action,
  NO_CHANGE,
  newObject,
  type ObjectId,
  placeForNew,
  requireTable,
  type Snapshot,
  type TableIndex,
  type TableObject,
  type Tablet,
  type TabletId,
} from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import type { CreateStatement } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { isTaken } from './create-table.ts';

/**
 * Creates a table with the same rows and indexes that shares the objects of the store with its source: no data moves, and
 * nothing is computed for the indexes.
 */
export function cloneTable(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: Extract<CreateStatement, { kind: 'clone_table' }>,
): Change {
  const place = placeForNew(snapshot, statement.name, context.database);
  if (isTaken(snapshot, place, statement.ifNotExists)) return NO_CHANGE;
  const {
    grants: _ofSource,
    constraints,
    ...source
  } = requireTable(snapshot, statement.source, context.database);
  const table: TableObject = {
    ...source,
    ...newObject(context, place.name),
    schemaId: place.schema.id,
    indexes: clonedIndexes(snapshot, place, source.indexes),
    // As with LIKE in PostgreSQL, foreign keys are not copied.
    ...(constraints === undefined
      ? {}
      : { constraints: constraints.filter((c) => c.kind !== 'foreign_key') }),
  };
  const actions: Action[] = [{ kind: 'create', object: table }];
  const copies = new Map<TabletId, TabletId>();
  let affectedRows = 0;
  for (const tablet of snapshot.tablets(source.id)) {
    const id = newUlid() as TabletId;
    copies.set(tablet.id, id);
    actions.push({ kind: 'add_tablet', tablet: sharing({ ...tablet, id, tableId: table.id }) });
    const vector = snapshot.deletionVector(source.id, tablet.id);
    if (vector !== undefined) {
      const shared = vector.key === undefined ? {} : ({ sharesKey: true } as const);
      actions.push({
        kind: 'set_deletion_vector',
        vector: { ...vector, ...shared, tabletId: id, tableId: table.id },
        replaces: 0,
      });
    }
    affectedRows += tablet.rows - (vector?.rows ?? 0);
  }
  // The deletion vectors come first: what an index stores is valid for one number of deleted rows of its tablet.
  for (const [i, { partials }] of source.indexes.entries()) {
    if (partials === undefined) continue;
    const tableId = table.indexes[i]!.partials!.id;
    for (const tablet of snapshot.tablets(partials.id)) {
      const id = newUlid() as TabletId;
      const partialOf = {
        ...tablet.partialOf!,
        tableId: table.id,
        tabletId: copies.get(tablet.partialOf!.tabletId)!,
      };
      actions.push({ kind: 'add_tablet', tablet: sharing({ ...tablet, id, tableId, partialOf }) });
    }
  }
  return { actions, affectedRows };
}

/** A copy of a tablet that shares its object of the store with the tablet. */
const sharing = (copy: Tablet): Tablet => (copy.key === undefined ? copy : { ...copy, sharesKey: true });

/**
 * The indexes of a clone, which store their own partial rows and filters. An index keeps its name where the schema has no other of
 * the name; otherwise the name of the clone precedes it.
 */
function clonedIndexes(
  snapshot: Snapshot,
  place: ReturnType<typeof placeForNew>,
  indexes: readonly TableIndex[],
): readonly TableIndex[] {
  const taken = new Set(
    snapshot
      .relations(place.schema.id)
      .flatMap((relation) => (relation.kind === 'table' ? relation.indexes.map(({ name }) => name) : [])),
  );
  const createdAt = new Date().toISOString();
  return indexes.map((index) => {
    let name = index.name;
    for (let n = 1; taken.has(name); n += 1) name = `${place.name}_${index.name}${n === 1 ? '' : `_${n}`}`;
    taken.add(name);
    const copy = { ...index, name, createdAt };
    return index.partials === undefined
      ? copy
      : { ...copy, partials: { ...index.partials, id: newUlid() as ObjectId } };
  });
}
