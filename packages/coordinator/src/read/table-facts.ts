import type { Snapshot, TableObject } from '@tessera/catalog';
import type { TableFacts } from '@tessera/planner';
import type { BoundFiles } from './bound-query.ts';
import type { ColumnStatisticsCache } from './column-statistics-cache.ts';

/**
 * The planner's statistics of a table at a snapshot, cached so that its tablets need not be examined each
 * time.
 */
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

/** The size of the parts that files can be divided into. */
const PART_BYTES = 1 << 20;

/** The same for files outside the managed store, of which only sizes are known. */
export const fileFacts = ({ scan: { kind, rows, bytes } }: BoundFiles): TableFacts => ({
  rows,
  bytes,
  tablets: Math.ceil(bytes / PART_BYTES),
  isDimension: false,
  external: kind === 'parquet' ? 'parquet' : 'text',
  distinct: new Map(),
});
