import type { Column } from '@tessera/catalog';
import { literalPath, quoteName, quoteText } from '@tessera/kernel';
import { initialValue, type RelationShape, ROW_COLUMN, selectList, TABLET_COLUMN } from './relation-sql.ts';
import type { RowRange } from './row-ranges.ts';

/** A local file to scan. */
export interface BranchFile {
  readonly path: string;
  /** The position of the tablet in the request. */
  readonly position: number;
}

/** Files that one scan reads in the same way. */
export interface FileBranch {
  readonly files: readonly BranchFile[];
  /** The schema version of the table when the files were written. */
  readonly schemaVersion: number;
  /**
   * The row range that is present; absent means all rows. The kernel skips row groups outside the range, so
   * holes are never read.
   */
  readonly rows?: RowRange | undefined;
  /** The deleted positions of each file, in order, as SQL. */
  readonly deleted?: string | undefined;
  /** The condition on the keys of the rows. */
  readonly keys?: string | undefined;
}

/** The SELECT over one branch. */
export function fileBranchSql(shape: RelationShape, branch: FileBranch): string {
  const columns = selectList(shape, (column) => storedOrInitial(column, branch.schemaVersion));
  const positions = shape.rowPositions
    ? `, ${tabletPosition(branch.files)} AS ${TABLET_COLUMN}, file_row_number AS ${ROW_COLUMN}`
    : '';
  const conditions = [rowCondition(branch.rows), branch.deleted, branch.keys].filter((c) => c !== undefined);
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const from = parquetScan(branch.files.map((file) => file.path));
  return `SELECT ${columns}${positions} FROM ${from}${where}`;
}

/**
 * The value of a column in the rows of a file that was written at `schemaVersion`. A cast to the type that
 * the value already has costs nothing.
 */
export const storedOrInitial = (column: Column, schemaVersion: number): string =>
  column.since <= schemaVersion
    ? `CAST(${quoteName(column.storedName)} AS ${column.type})`
    : initialValue(column);

/** The rows of the files for FROM, with `file_index` and `file_row_number`. */
export const parquetScan = (paths: readonly string[]): string =>
  `read_parquet([${paths.map((path) => quoteText(literalPath(path))).join(', ')}], hive_partitioning = false)`;

function tabletPosition(files: readonly BranchFile[]): string {
  const first = files[0]!.position;
  if (files.every((file, i) => file.position === first + i)) return `CAST(file_index + ${first} AS INTEGER)`;
  return `CAST([${files.map((file) => file.position).join(', ')}][CAST(file_index AS BIGINT) + 1] AS INTEGER)`;
}

/**
 * A condition for a single range: for a union of ranges the kernel would read every row group, including
 * holes.
 */
const rowCondition = (rows: RowRange | undefined): string | undefined =>
  rows && `file_row_number BETWEEN ${rows.from} AND ${rows.to - 1}`;
