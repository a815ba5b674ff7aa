import type { Snapshot, TableObject } from '@tessera/catalog';
import type { TableFacts } from '@tessera/planner';
import { distinctBounds } from './distinct-bounds.ts';
import { plannedRows } from './mirror-tables.ts';

interface KnownDistinct {
  readonly rows: number;
  readonly distinct: ReadonlyMap<string, number>;
}

/** For tables as large as they were then. */
const known = new WeakMap<TableObject, KnownDistinct>();

/** What a planner needs to know of a table at a snapshot, without going through its tablets each time. */
export function tableFacts(snapshot: Snapshot, table: TableObject): TableFacts {
  const { rows, deletedRows, bytes, tablets } = snapshot.totals(table.id);
  return {
    rows: rows - deletedRows,
    bytes,
    tablets,
    isDimension: table.tableType === 'DIMENSION',
    distinct: distinctOf(snapshot, table),
  };
}

function distinctOf(snapshot: Snapshot, table: TableObject): ReadonlyMap<string, number> {
  const rows = plannedRows(snapshot, table);
  const found = known.get(table);
  if (found?.rows === rows) return found.distinct;
  const distinct = distinctBounds(table, snapshot.tablets(table.id));
  known.set(table, { rows, distinct });
  return distinct;
}
