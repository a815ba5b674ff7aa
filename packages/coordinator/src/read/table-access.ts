import type { TableObject } from '@tessera/catalog';
import type { ScanUse } from '@tessera/storage-agent';
import type { ScanTotals } from '@tessera/system-catalog';
import { NOTHING_SCANNED, plus } from '../queries/scan-totals.ts';
import type { GranuleSelection } from './granule-selection.ts';
import type { TableSelection } from './table-selection.ts';

/** How a statement reads a managed table, over all references to it. */
export interface TableAccess {
  readonly table: TableObject;
  /** The names of the columns that are read. */
  readonly columns: readonly string[];
  readonly tabletsTotal: number;
  /** The tablets that an aggregating index summarises, whose partial rows are read instead. */
  readonly tabletsSummarised: number;
  /** The tablets that were pruned by their partition. */
  readonly tabletsPrunedByPartition: number;
  /** The tablets that were pruned by minima and maxima. */
  readonly tabletsPrunedByRange: number;
  /** The granules of the remaining tablets. */
  readonly granulesTotal: number;
  /**
   * The granules pruned by primary index, minima, maxima and skip indexes; 0 for a resident table, which has no granules.
   */
  readonly granulesPruned: number;
  /** The skip indexes that were asked, each with the granules that it pruned. */
  readonly skipped: GranuleSelection['skipped'];
  /**
   * Whether a first pass found the rows of `ORDER BY … LIMIT n`, and only their granules were read in full.
   */
  readonly isLate: boolean;
  readonly use: ScanUse;
  /** The SQL that replaced it in FROM, if this node reads it in the session of the query. */
  readonly source?: string | undefined;
}

/** What is chosen of a table before it is read. */
export type ChosenAccess = Omit<TableAccess, 'use' | 'isLate' | 'source'>;

export const chosenAccess = (
  table: TableObject,
  selection: TableSelection,
  { granulesPruned, skipped }: GranuleSelection,
): ChosenAccess => ({
  table,
  columns: selection.columns.map(({ name }) => name),
  tabletsTotal: selection.tabletsTotal,
  tabletsSummarised: selection.tabletsSummarised,
  tabletsPrunedByPartition: selection.tabletsPrunedByPartition,
  tabletsPrunedByRange: selection.tabletsPrunedByRange,
  granulesTotal: selection.tablets.reduce((sum, { tablet }) => sum + tablet.granules, 0),
  granulesPruned,
  skipped,
});

/** What the statement read of its tables. */
export const scannedTables = (accesses: readonly TableAccess[]): ScanTotals =>
  accesses.reduce((sum, { use: { read } }) => {
    const bytesFromCache = read.bytes - read.bytesFromStorage;
    const { rows, bytesFromStorage } = read;
    return plus(sum, { rows, bytesFromCache, bytesFromStorage, bytesFromFiles: 0 });
  }, NOTHING_SCANNED);
