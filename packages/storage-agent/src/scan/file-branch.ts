import type { Column } from '@tessera/catalog';
import { quoteName, quoteText } from '@tessera/kernel';
import { initialValue, type RelationShape, ROW_COLUMN, selectList, TABLET_COLUMN } from './relation-sql.ts';
import type { RowRange } from './row-ranges.ts';

/** A local file to be scanned. */
export interface BranchFile {
  readonly path: string;
  /** Position of the tablet in the request. */
  readonly position: number;
}

/** Files that are scanned alike. */
export interface FileBranch {
  readonly files: readonly BranchFile[];
  /** Of the table when the files were written. */
  readonly schemaVersion: number;
  /** Rows that are there; absent: all. The kernel skips row groups outside, so that holes are never read. */
  readonly rows?: RowRange | undefined;
  /** Of each file, in order: the deleted positions. */
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
 * A column's value in the rows of a file that was written at `schemaVersion`. A cast to the type that is there already
 * costs nothing.
 */
export const storedOrInitial = (column: Column, schemaVersion: number): string =>
  column.since <= schemaVersion
    ? `CAST(${quoteName(column.storedName)} AS ${column.type})`
    : initialValue(column);

/** For FROM: the files' rows, with `file_index` and `file_row_number`. */
export const parquetScan = (paths: readonly string[]): string =>
  `read_parquet([${paths.map((path) => quoteText(literalPath(path))).join(', ')}], hive_partitioning = false)`;

function tabletPosition(files: readonly BranchFile[]): string {
  const first = files[0]!.position;
  if (files.every((file, i) => file.position === first + i)) return `CAST(file_index + ${first} AS INTEGER)`;
  return `CAST([${files.map((file) => file.position).join(', ')}][CAST(file_index AS BIGINT) + 1] AS INTEGER)`;
}

/** One range only: for a union of ranges the kernel reads every row group, holes included. */
const rowCondition = (rows: RowRange | undefined): string | undefined =>
  rows && `file_row_number BETWEEN ${rows.from} AND ${rows.to - 1}`;

/** The kernel takes paths for patterns. */
const literalPath = (path: string): string => path.replace(/[[*?]/g, (c) => `[${c}]`);
