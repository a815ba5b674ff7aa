import type { SequenceObject, Snapshot, TableObject } from '@tessera/catalog';

/** The sequences that belong to tables, or to one of their columns, and are dropped with them. */
export function ownedSequences(
  snapshot: Snapshot,
  tables: readonly Pick<TableObject, 'id'>[],
  columnId?: number,
): readonly SequenceObject[] {
  const ids = new Set(tables.map(({ id }) => id));
  return snapshot
    .databases()
    .flatMap(({ id }) => snapshot.schemas(id))
    .flatMap(({ id }) => snapshot.sequences(id))
    .filter(
      ({ ownedBy: owner }) =>
        owner !== undefined &&
        ids.has(owner.tableId) &&
        (columnId === undefined || owner.columnId === columnId),
    );
}
