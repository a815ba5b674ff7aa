import type { HybridHeader } from '@tessera/tablet';
import type { LocalTablet } from '../local/local-tablets.ts';
import type { ScanTablet } from '../storage-agent.ts';
import { notDeleted } from './deleted-rows.ts';
import { type BranchFile, fileBranchSql } from './file-branch.ts';
import type { RelationShape } from './relation-sql.ts';
import { difference, joined, type RowRange } from './row-ranges.ts';
import { rowsOf } from './scan-rows.ts';
import { keyCondition, keysIdentity } from './tablet-keys.ts';

/** A tablet of a scan, readable. */
export interface ReadableTablet {
  readonly scan: ScanTablet;
  /** In the request. */
  readonly position: number;
  readonly local: LocalTablet;
  readonly deleted: readonly RowRange[];
  /** When not all rows are needed; the scan then has the numbers of the granules that hold them. */
  readonly header?: HybridHeader | undefined;
}

/**
 * The SELECTs over files: one for all that are read alike, whole and with nothing deleted; one for each run of granules,
 * because the kernel leaves row groups out only by a range of row numbers that holds for all files of a scan; one for
 * each tablet with deleted rows, and for each choice of keys.
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

/** Of a file that has no holes granules are not left out: the kernel leaves out row groups by itself. */
function rowsToRead({ scan, local, header }: ReadableTablet): readonly (RowRange | undefined)[] {
  if (scan.granules === undefined || header === undefined) return [undefined];
  if (local.isComplete) return scan.rows === undefined ? [undefined] : rowsOf(scan);
  return neededRows({ scan, header });
}

/** The rows that the scan is about, in the granules that it needs; deleted ones are among them. */
export function neededRows({ scan, header }: Pick<ReadableTablet, 'scan' | 'header'>): readonly RowRange[] {
  if (scan.granules === undefined || header === undefined) return rowsOf(scan);
  const starts = [0];
  for (const rows of header.granuleRows) starts.push(starts.at(-1)! + rows);
  const there = joined(scan.granules.map((g) => ({ from: starts[g]!, to: starts[g + 1]! })));
  return scan.rows === undefined ? there : both(there, rowsOf(scan));
}

const both = (a: readonly RowRange[], b: readonly RowRange[]): RowRange[] => difference(a, difference(a, b));
