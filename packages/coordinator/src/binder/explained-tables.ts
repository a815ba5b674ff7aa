import type { Column, ColumnStatistics } from '@tessera/catalog';
import type { ScanTablet, ScanUse } from '@tessera/storage-agent';
import { type OrderedValue, orderOf } from '@tessera/tablet';
import type { ChosenAccess } from '../read/table-access.ts';

/** How a table of a query is read, or would be. */
export interface ExplainedTable {
  readonly access: ChosenAccess;
  /** The tablets that are read. */
  readonly tablets: readonly ScanTablet[];
  readonly isHot: boolean;
  /** The compressed bytes of the columns and granules that are read; 0 for a resident table. */
  readonly bytesToRead: number;
  /** The measurements of reading, after it is done. */
  readonly use?: ScanUse | undefined;
  readonly isLate?: boolean | undefined;
}

/** One line per table. */
export const tableLines = (tables: readonly ExplainedTable[]): readonly string[] =>
  tables.map(({ access, isHot, bytesToRead, use, isLate }) => {
    const { table, tabletsTotal, tabletsSummarised, tabletsPrunedByPartition, tabletsPrunedByRange } = access;
    const pruned = tabletsSummarised + tabletsPrunedByPartition + tabletsPrunedByRange;
    const summarised = tabletsSummarised === 0 ? '' : `${tabletsSummarised} in an aggregating index, `;
    const granules = access.granulesTotal - access.granulesPruned;
    const parts = [
      `tablets ${tabletsTotal - pruned} of ${tabletsTotal} (${summarised}${tabletsPrunedByPartition} pruned by partition, ${tabletsPrunedByRange} by min/max)`,
      `granules ${granules} of ${access.granulesTotal} (${prunedGranules(access)})`,
      `columns ${access.columns.join(', ') || 'none'}`,
      isHot ? 'in memory' : `bytes to read ${bytesToRead}`,
    ];
    if (use !== undefined) {
      parts.push(`bytes fetched ${use.bytesFetched}`, `bytes cached ${use.bytesCached}`);
      parts.push(`tablets hot ${use.tabletsHot}`);
      if (isLate === true) parts.push('late materialisation');
    }
    return `${table.name}: ${parts.join('; ')}`;
  });

function prunedGranules({ granulesPruned, skipped }: ChosenAccess): string {
  const bySkipping = skipped.reduce((sum, { granules }) => sum + granules, 0);
  const byIndex = skipped.map(({ index, granules }) => `, ${granules} by skip index ${index}`);
  return `${granulesPruned - bySkipping} pruned by primary index and min/max${byIndex.join('')}`;
}

/** The same as JSON members. */
export const tableMembers = (
  tables: readonly ExplainedTable[],
  { statistics = false }: { readonly statistics?: boolean } = {},
) =>
  tables.map((explained) => {
    const { access, isHot, bytesToRead, use, isLate = false } = explained;
    return {
      table: access.table.name,
      columns: access.columns,
      tablets: access.tabletsTotal,
      tablets_in_aggregating_index: access.tabletsSummarised,
      tablets_pruned_by_partition: access.tabletsPrunedByPartition,
      tablets_pruned_by_min_max: access.tabletsPrunedByRange,
      granules: access.granulesTotal,
      granules_pruned: access.granulesPruned,
      skip_indexes: access.skipped.map(({ index, granules }) => ({ index, granules_pruned: granules })),
      in_memory: isHot,
      bytes_to_read: bytesToRead,
      ...(use === undefined
        ? {}
        : {
            bytes_fetched: use.bytesFetched,
            bytes_cached: use.bytesCached,
            tablets_hot: use.tabletsHot,
            late_materialisation: isLate,
          }),
      ...(statistics ? { rows: rowsOf(explained), column_statistics: columnStatistics(explained) } : {}),
    };
  });

/** Lines about tables and their columns, for the tablets that are read. */
export const tableStatistics = (tables: readonly ExplainedTable[]): readonly string[] =>
  tables.flatMap((explained) => [
    `${explained.access.table.name}: rows ${rowsOf(explained)}, tablets ${explained.tablets.length}`,
    ...columnStatistics(explained).map(
      ({ column, min, max, nulls }) => `  ${column}: min ${min ?? '?'}, max ${max ?? '?'}, nulls ${nulls}`,
    ),
  ]);

const rowsOf = ({ tablets }: ExplainedTable): number =>
  tablets.reduce((sum, { tablet, vector }) => sum + tablet.rows - (vector?.rows ?? 0), 0);

function columnStatistics({ access, tablets }: ExplainedTable) {
  const read = new Set(access.columns);
  return access.table.columns
    .filter(({ name }) => read.has(name))
    .map((column) => {
      const known = tablets.flatMap(
        ({ tablet }) => tablet.statistics.find((one) => one.column === column.id) ?? [],
      );
      const isComplete = known.length === tablets.length;
      return {
        column: column.name,
        min: isComplete ? extreme(column, known, 'min') : undefined,
        max: isComplete ? extreme(column, known, 'max') : undefined,
        nulls: known.reduce((sum, { nulls }) => sum + nulls, 0),
      };
    });
}

/** Undefined if one of the bounds is unknown. */
function extreme(
  { type }: Column,
  statistics: readonly ColumnStatistics[],
  which: 'min' | 'max',
): string | undefined {
  const order = orderOf(type);
  let found: { readonly text: string; readonly value: OrderedValue } | undefined;
  for (const one of statistics) {
    const text = one[which];
    const value = text === undefined ? undefined : order?.parse(text);
    if (order === undefined || text === undefined || value === undefined) return undefined;
    const isBeyond =
      found === undefined || order.compare(value, found.value) * (which === 'min' ? 1 : -1) < 0;
    if (isBeyond) found = { text, value };
  }
  return found?.text;
}
