import type { Snapshot, TableObject } from '@tessera/catalog';
import type { TableFacts } from '@tessera/planner';
import type { BoundFiles } from './binding.ts';
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

/** Files can be divided into parts of this size. */
const PART_BYTES = 1 << 20;

/** The same of files outside the managed store, of which only sizes are known. */
export const fileFacts = ({ scan: { kind, rows, bytes } }: BoundFiles): TableFacts => ({
  rows,
  bytes,
  tablets: Math.ceil(bytes / PART_BYTES),
  isDimension: false,
  external: kind === 'parquet' ? 'parquet' : 'text',
  distinct: new Map(),
});
