import type { ScanTotals } from '@tessera/system-catalog';

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
