import type { Snapshot, TableObject } from '@tessera/catalog';
import type { TableFacts } from '@tessera/planner';

/** What a planner needs to know of a table at a snapshot. */
export function tableFacts(snapshot: Snapshot, table: TableObject): TableFacts {
  const { rows, deletedRows, bytes, tablets } = snapshot.totals(table.id);
  return {
    rows: rows - deletedRows,
    bytes,
    tablets,
    isDimension: table.tableType === 'DIMENSION',
    distinct: new Map(),
  };
}
