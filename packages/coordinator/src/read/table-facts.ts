import type { Snapshot, TableObject } from '@tessera/catalog';
import type { TableFacts } from '@tessera/planner';
import type { ColumnStatisticsCache } from './column-statistics-cache.ts';

/** What a planner needs to know of a table at a snapshot, without going through its tablets each time. */
export function tableFacts(
  snapshot: Snapshot,
  table: TableObject,
  statistics: ColumnStatisticsCache,
): TableFacts {
  const { rows, deletedRows, bytes, tablets } = snapshot.totals(table.id);
  return {
    rows: rows - deletedRows,
    bytes,
    tablets,
    isDimension: table.tableType === 'DIMENSION',
    ...statistics.of(snapshot, table),
  };
}
