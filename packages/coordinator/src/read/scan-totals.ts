import type { ScanTotals } from '@tessera/system-catalog';
import type { TableAccess } from './table-access.ts';

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

export const scannedTables = (accesses: readonly TableAccess[]): ScanTotals =>
  accesses.reduce((sum, { use: { read } }) => {
    const bytesFromCache = read.bytes - read.bytesFromStorage;
    const { rows, bytesFromStorage } = read;
    return plus(sum, { rows, bytesFromCache, bytesFromStorage, bytesFromFiles: 0 });
  }, NOTHING_SCANNED);
