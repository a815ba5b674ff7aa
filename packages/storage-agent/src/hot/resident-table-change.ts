import { difference, joined, type RowRange } from '../scan/row-ranges.ts';
import { rowsIdentity, scanIdentity } from '../scan/scan-rows.ts';
import type { ScanTablet } from '../storage-agent.ts';
import type { ResidentPart, ResidentTable } from './resident-table.ts';
import { positionsOf } from './resident-table-loader.ts';
import type { Desired } from './table-demand.ts';

/** The changes that turn a resident table into the desired one. */
export interface ResidentTableChange {
  readonly append: readonly ScanTablet[];
  readonly remove: readonly ResidentPart[];
  /**
   * Whether removed parts are added again with other rows. Scans of the desired contents may then still read
   * the removed ones.
   */
  readonly replaces: boolean;
  /** The parts that lose rows. */
  readonly shrink: readonly { readonly part: ResidentPart; readonly scan: ScanTablet }[];
}

/**
 * The changes towards the desired table. Without a version only additions are known, because other tablets
 * may exist that nobody has read.
 */
export function changeTowards(resident: ResidentTable, desired: Desired): ResidentTableChange {
  const append: ScanTablet[] = [];
  const shrink: { part: ResidentPart; scan: ScanTablet }[] = [];
  const kept = new Set<ResidentPart>();
  let replaces = false;
  for (const scan of desired.tablets) {
    const part = resident.parts.get(scan.tablet.id);
    const isOther = desired.version !== undefined && part?.rows !== rowsIdentity(scan);
    if (part === undefined || part.removed || isOther) {
      replaces ||= part !== undefined;
      append.push(scan);
      continue;
    }
    kept.add(part);
    if (part.claimedScan !== scanIdentity(scan) && desired.version !== undefined) {
      shrink.push({ part, scan });
    }
  }
  const remove =
    desired.version === undefined ? [] : [...resident.parts.values()].filter((part) => !kept.has(part));
  return { append, remove, replaces, shrink };
}

/** The deleted rows of a part; all of its rows if it is removed. */
export interface Deletion {
  readonly part: ResidentPart;
  readonly rows: readonly RowRange[] | 'all';
}

/** The positions in the resident table that must be deleted. */
export function positionsToDelete(deletions: readonly Deletion[]): RowRange[] {
  const ranges = deletions.flatMap(({ part, rows }) => {
    const going = rows === 'all' ? [{ from: 0, to: part.tablet.rows }] : rows;
    return positionsOf(part, difference(going, part.absent));
  });
  return joined(ranges.sort((a, b) => a.from - b.from));
}
