import type { TableAccess } from './table-access.ts';

/** What statements read, as the statistics of an answer and the query history show it. */
export interface ScanTotals {
  /** Rows of tablets, granules and files, before conditions on rows; rows of CSV, TSV, JSON and text files are not counted. */
  readonly rows: number;
  /** Stored bytes of managed tables that were on the node, on disk or in memory. */
  readonly bytesFromCache: number;
  /** Stored bytes of managed tables that were fetched from the object store. */
  readonly bytesFromStorage: number;
  /** Bytes of files outside the managed store: uploads, external tables, READ_* functions. */
  readonly bytesFromFiles: number;
}

export const NOTHING_SCANNED: ScanTotals = {
  rows: 0,
  bytesFromCache: 0,
  bytesFromStorage: 0,
  bytesFromFiles: 0,
};

export const plus = (a: ScanTotals, b: ScanTotals): ScanTotals => ({
  rows: a.rows + b.rows,
  bytesFromCache: a.bytesFromCache + b.bytesFromCache,
  bytesFromStorage: a.bytesFromStorage + b.bytesFromStorage,
  bytesFromFiles: a.bytesFromFiles + b.bytesFromFiles,
});

export const scannedBytes = ({ bytesFromCache, bytesFromStorage, bytesFromFiles }: ScanTotals): number =>
  bytesFromCache + bytesFromStorage + bytesFromFiles;

export const scannedTables = (accesses: readonly TableAccess[]): ScanTotals =>
  accesses.reduce((sum, { use: { read } }) => {
    const bytesFromCache = read.bytes - read.bytesFromStorage;
    const { rows, bytesFromStorage } = read;
    return plus(sum, { rows, bytesFromCache, bytesFromStorage, bytesFromFiles: 0 });
  }, NOTHING_SCANNED);
