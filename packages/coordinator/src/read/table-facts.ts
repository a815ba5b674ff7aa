import type { Snapshot } from '@tessera/catalog';
import type { TableFacts } from '@tessera/planner';
import type { BoundFiles } from './bound-query.ts';
import type { ColumnStatisticsCache } from './column-statistics-cache.ts';
import { liveRows, type ReadTable } from './index-coverage.ts';

/**
 * The planner's statistics of a table at a snapshot, cached so that its tablets need not be examined each
 * time.
 */
export function tableFacts(
  snapshot: Snapshot,
  table: ReadTable,
  statistics: ColumnStatisticsCache,
): TableFacts {
  const { rows, deletedRows, bytes, tablets } = snapshot.totals(table.id);
  const read = liveRows(snapshot, table);
  return {
    rows: read,
    bytes: read === rows - deletedRows ? bytes : Math.round((bytes * read) / rows),
    tablets,
    isDimension: table.tableType === 'DIMENSION',
    ...statistics.of(snapshot, table),
  };
}

/** The size of the parts that files can be divided into. */
const PART_BYTES = 1 << 20;

/** The same for files outside the managed store, of which only sizes are known. */
export const fileFacts = ({ scan: { kind, rows, bytes, isServedByNode } }: BoundFiles): TableFacts => ({
  rows,
  bytes,
  tablets: Math.ceil(bytes / PART_BYTES),
  isDimension: false,
  external: kind === 'parquet' || kind === 'table' ? 'parquet' : 'text',
  isServedByNode,
  distinct: new Map(),
});
