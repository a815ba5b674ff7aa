import type { HybridHeader } from '@tessera/tablet';
import type { LocalTablet } from '../local/local-tablets.ts';
import type { ScanTablet } from '../storage-agent.ts';
import { notDeleted } from './deleted-rows.ts';
import { type BranchFile, fileBranchSql } from './file-branch.ts';
import type { RelationShape } from './relation-sql.ts';
import { joined, type RowRange } from './row-ranges.ts';

/** A tablet of a scan, readable. */
export interface ReadableTablet {
  readonly scan: ScanTablet;
  /** In the request. */
  readonly position: number;
  readonly local: LocalTablet;
  readonly deleted: readonly RowRange[];
  /** When only some granules are needed. */
  readonly header?: HybridHeader | undefined;
}

/**
 * The SELECTs over files: one for all that are read alike, whole and with nothing deleted; one for each set of granules,
 * because the kernel leaves row groups out only by conditions on row numbers that hold for all files of a scan; one for
 * each tablet with deleted rows.
 */
export function fileScans(shape: RelationShape, tablets: readonly ReadableTablet[]): string[] {
  const alike = Map.groupBy(tablets, (tablet) => {
    const {
      tablet: { id, schemaVersion },
    } = tablet.scan;
    const own = tablet.deleted.length > 0 ? id : '';
    return `${schemaVersion} ${rowKey(tablet)} ${own}`;
  });
  return [...alike.values()].map((members) => {
    const first = members[0]!;
    return fileBranchSql(shape, {
      files: members.map(({ local, position }): BranchFile => ({ path: local.path, position })),
      schemaVersion: first.scan.tablet.schemaVersion,
      rows: granuleRows(first),
      deleted: notDeleted('file_row_number', first.deleted),
    });
  });
}

const rowKey = (tablet: ReadableTablet): string =>
  granuleRows(tablet)
    ?.map(({ from, to }) => `${from}-${to}`)
    .join(',') ?? '*';

/** Nothing is left out of a file that has no holes: the kernel leaves out row groups by itself. */
function granuleRows({ scan, local, header }: ReadableTablet): readonly RowRange[] | undefined {
  if (scan.granules === undefined || header === undefined || local.isComplete) return undefined;
  const starts = [0];
  for (const rows of header.granuleRows) starts.push(starts.at(-1)! + rows);
  return joined(scan.granules.map((g) => ({ from: starts[g]!, to: starts[g + 1]! })));
}
