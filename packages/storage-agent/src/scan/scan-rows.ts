import { chunksOf, type HybridHeader } from '@tessera/tablet';
import type { ScanTablet } from '../storage-agent.ts';
import { difference, joined, type RowRange, rowsIn } from './row-ranges.ts';
import { keysIdentity, keysTogether } from './tablet-keys.ts';
import { vectorIdentity } from './vector-cache.ts';

/** The rows of a tablet's body that a scan addresses, including deleted ones. */
export const rowsOf = ({ tablet, rows }: Pick<ScanTablet, 'tablet' | 'rows'>): readonly RowRange[] =>
  rows === undefined
    ? [{ from: 0, to: tablet.rows }]
    : rows.map(({ start, end }) => ({ from: start, to: end }));

/** The deleted rows and those that the scan does not address. */
export function absentRows(scan: ScanTablet, deleted: readonly RowRange[]): readonly RowRange[] {
  if (scan.rows === undefined) return deleted;
  const present = difference(rowsOf(scan), deleted);
  return difference([{ from: 0, to: scan.tablet.rows }], present);
}

/** An identity of the addressed rows: equal texts mean equal rows; '' means all. */
export const rowsIdentity = (scan: ScanTablet): string => `${rangesIdentity(scan)}${keysIdentity(scan)}`;

const rangesIdentity = ({ rows }: ScanTablet): string =>
  rows === undefined ? '' : rows.map(({ start, end }) => `${start}-${end}`).join();

/**
 * An identity of the addressed rows and of the deleted ones: equal texts mean equal rows; '' means all rows
 * and no deletions.
 */
export const scanIdentity = (scan: ScanTablet): string =>
  scan.rows === undefined
    ? vectorIdentity(scan.vector)
    : `${vectorIdentity(scan.vector)}@${rangesIdentity(scan)}`;

/** The needed granules that contain some of the rows. */
export function granulesIn(
  rows: readonly RowRange[],
  granuleRows: readonly number[],
  needed: readonly number[] | undefined,
): number[] {
  const isNeeded = needed && new Set(needed);
  const granules: number[] = [];
  let start = 0;
  for (const [granule, count] of granuleRows.entries()) {
    const end = start + count;
    const holds = rows.some(({ from, to }) => from < end && to > start);
    if (holds && isNeeded?.has(granule) !== false) granules.push(granule);
    start = end;
  }
  return granules;
}

/**
 * The stored bytes of each column that a scan reads, by column id. A scan of some rows of a granule reads the
 * fraction of its bytes that equals the fraction of its rows; a scan of the rows with some keys reads that
 * fraction of all `granules`, whichever of them have its keys. So the parts of all nodes add up to the bytes of the tablet; granules at the border
 * of two parts would otherwise count twice.
 */
export function storedBytes(
  header: HybridHeader,
  granules: readonly number[] | undefined,
  scan: Pick<ScanTablet, 'tablet' | 'keys' | 'rows'>,
): ReadonlyMap<number, number> {
  const { tablet, keys } = scan;
  const columns = header.columns.map(({ id }) => id);
  const share = keys === undefined ? sharesOfGranules(header, scan) : () => keys.rows / tablet.rows;
  const bytes = new Map<number, number>();
  for (const chunk of chunksOf(header, columns, granules))
    bytes.set(chunk.column, (bytes.get(chunk.column) ?? 0) + chunk.bytes * share(chunk.granule));
  return new Map([...bytes].map(([id, total]) => [id, Math.round(total)]));
}

/** For each granule, the fraction of its rows that the scan addresses. */
function sharesOfGranules(
  { granuleRows }: HybridHeader,
  scan: Pick<ScanTablet, 'tablet' | 'rows'>,
): (granule: number) => number {
  if (scan.rows === undefined) return () => 1;
  let end = 0;
  const shares = granuleRows.map((rows) => {
    const from = end;
    end += rows;
    const granule = [{ from, to: end }];
    const absent = rowsIn(difference(granule, rowsOf(scan)));
    return (rows - absent) / rows;
  });
  return (granule) => shares[granule]!;
}

/**
 * Merges entries of the same tablet, with all rows that any of them addresses: parts of one tablet may come
 * from the shares of several nodes.
 */
export function withTabletsOnce(tablets: readonly ScanTablet[]): readonly ScanTablet[] {
  if (tablets.every(({ rows, keys }) => rows === undefined && keys === undefined)) return tablets;
  const parts = Map.groupBy(tablets, ({ tablet }) => tablet.id);
  if (parts.size === tablets.length) return tablets;
  return [...parts.values()].map((scans) => (scans.length === 1 ? scans[0]! : together(scans)));
}

function together(scans: readonly ScanTablet[]): ScanTablet {
  const { rows: _, granules: __, keys: ___, ...first } = scans[0]!;
  const keys = keysTogether(scans);
  // Parts that are selected by keys address the same rows.
  const distinct = new Map(scans.map((scan) => [rangesIdentity(scan), scan]));
  const ranges = [...distinct.values()].flatMap(rowsOf).sort((a, b) => a.from - b.from);
  const rows = joined(ranges).map(({ from, to }) => ({ start: from, end: to }));
  const isAll = rows.length === 1 && rows[0]!.start === 0 && rows[0]!.end === first.tablet.rows;
  const needed = scans.every(({ granules }) => granules !== undefined)
    ? [...new Set(scans.flatMap(({ granules }) => granules!))].sort((a, b) => a - b)
    : undefined;
  return {
    ...first,
    ...(!isAll && { rows }),
    ...(needed !== undefined && { granules: needed }),
    ...(keys && { keys }),
  };
}
