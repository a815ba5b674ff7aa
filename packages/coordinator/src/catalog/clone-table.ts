import {
  type Action,
  NO_CHANGE,
  newObject,
  placeForNew,
  requireTable,
  type Snapshot,
  type TableObject,
  type TabletId,
} from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import type { CreateStatement } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { isTaken } from './create-table.ts';

/** Creates a table with the same rows that shares the objects of the store with its source: no data moves. */
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
    indexes: [],
    // As with LIKE in PostgreSQL, foreign keys are not copied.
    ...(constraints === undefined
      ? {}
      : { constraints: constraints.filter((c) => c.kind !== 'foreign_key') }),
  };
  const actions: Action[] = [{ kind: 'create', object: table }];
  let affectedRows = 0;
  for (const tablet of snapshot.tablets(source.id)) {
    const id = newUlid() as TabletId;
    const copy = { ...tablet, id, tableId: table.id };
    actions.push({
      kind: 'add_tablet',
      tablet: tablet.key === undefined ? copy : { ...copy, sharesKey: true },
    });
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
  return { actions, affectedRows };
}
