import type { HybridHeader } from '@tessera/tablet';
import type { LocalTablet } from '../local/local-tablets.ts';
import type { ScanTablet } from '../storage-agent.ts';
import { notDeleted } from './deleted-rows.ts';
import { type BranchFile, fileBranchSql } from './file-branch.ts';
import type { RelationShape } from './relation-sql.ts';
import { difference, joined, type RowRange } from './row-ranges.ts';
import { rowsOf } from './scan-rows.ts';
import { keyCondition, keysIdentity } from './tablet-keys.ts';

/** A tablet of a scan in readable form. */
export interface ReadableTablet {
  readonly scan: ScanTablet;
  /** The position of the tablet in the request. */
  readonly position: number;
  readonly local: LocalTablet;
  readonly deleted: readonly RowRange[];
  /** Present if not all rows are needed; the scan then lists the granules that contain them. */
  readonly header?: HybridHeader | undefined;
}

/**
 * The SELECTs over files. Tablets that are read whole and without deletions share one. Each run of granules
 * needs its own, because the kernel skips row groups only by one range of row numbers for all files of a
 * scan. Each tablet with deleted rows and each selection of keys also needs its own.
 */
export function fileScans(shape: RelationShape, tablets: readonly ReadableTablet[]): string[] {
  const parts = tablets.flatMap((tablet) => rowsToRead(tablet).map((rows) => ({ tablet, rows })));
  const alike = Map.groupBy(parts, ({ tablet, rows }) => {
    const { id, schemaVersion } = tablet.scan.tablet;
    const own = tablet.deleted.length > 0 ? id : '';
    return `${schemaVersion} ${rows === undefined ? '*' : `${rows.from}-${rows.to}`} ${own} ${keysIdentity(tablet.scan)}`;
  });
  return [...alike.values()].map((members) => {
    const first = members[0]!;
    const { tablet: firstTablet, keys } = first.tablet.scan;
    return fileBranchSql(shape, {
      files: members.map(
        ({ tablet }): BranchFile => ({ path: tablet.local.path, position: tablet.position }),
      ),
      schemaVersion: firstTablet.schemaVersion,
      rows: first.rows,
      deleted: notDeleted('file_row_number', first.tablet.deleted),
      keys: keys && keyCondition(shape.table, firstTablet.schemaVersion, keys),
    });
  });
}

/**
 * The rows to read. Granules of a file without holes are not selected, because the kernel skips row groups by
 * itself.
 */
function rowsToRead({ scan, local, header }: ReadableTablet): readonly (RowRange | undefined)[] {
  if (scan.granules === undefined || header === undefined) return [undefined];
  if (local.isComplete) return scan.rows === undefined ? [undefined] : rowsOf(scan);
  return neededRows({ scan, header });
}

/** The rows that the scan addresses within the needed granules, including deleted ones. */
export function neededRows({ scan, header }: Pick<ReadableTablet, 'scan' | 'header'>): readonly RowRange[] {
  if (scan.granules === undefined || header === undefined) return rowsOf(scan);
  const starts = [0];
  for (const rows of header.granuleRows) starts.push(starts.at(-1)! + rows);
  const there = joined(scan.granules.map((g) => ({ from: starts[g]!, to: starts[g + 1]! })));
  return scan.rows === undefined ? there : both(there, rowsOf(scan));
}

const both = (a: readonly RowRange[], b: readonly RowRange[]): RowRange[] => difference(a, difference(a, b));
