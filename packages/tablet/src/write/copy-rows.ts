import type { TableObject } from '@tessera/catalog';
import { type KernelParams, type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import { storedType } from '../values/stored-type.ts';

export interface CopyJob {
  readonly session: KernelSession;
  /** A query of the columns in their stored form, sorted. */
  readonly sql: string;
  readonly params: KernelParams;
  readonly path: string;
  readonly rowGroupRows: number;
}

/**
 * Writes rows to one Parquet file and returns their number. It is one file because the kernel does not keep
 * the order of the rows when it writes several. It has no Bloom filters: they would lie outside the column
 * chunks, where a sparse local file has holes. It is written in place: its directory is removed if the write fails.
 */
export const copyRows = ({ session, sql, params, path, rowGroupRows }: CopyJob): Promise<number> =>
  session.execute(
    `COPY (${sql}) TO ${quoteText(path)} ` +
      `(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupRows}, WRITE_BLOOM_FILTER false, USE_TMP_FILE false)`,
    params,
  );

/** A query of the rows in their stored form, sorted by the primary index. */
export function sortedRows(table: TableObject, sql: string): string {
  const order = orderBy(table);
  return storedRows(table, sql) + (order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`);
}

/** A query of the rows in their stored form. */
export const storedRows = (table: TableObject, sql: string): string =>
  `SELECT ${selectList(table)} FROM (${sql}) AS "rows"`;

/**
 * The table's columns of `"rows"` in their stored form. Each is cast, which costs nothing if it has the type already: the kernel reads
 * many files with the types of the first one, so that a file with another type would change the values of the others.
 */
export const selectList = (table: TableObject): string =>
  table.columns
    .map(({ storedName, type }) => {
      const value = `CAST("rows".${quoteName(storedName)} AS ${storedType(type) ?? type})`;
      return `${type === 'DOUBLE' || type === 'FLOAT' ? withoutMinusZero(value) : value} AS ${quoteName(storedName)}`;
    })
    .join(', ');

/** The kernel has one entry for 0 and -0 in the dictionary of a column, so that all would become the one that comes first. */
const withoutMinusZero = (value: string): string => `${value} + 0`;

/** The primary index over `"rows"`. NULL is the largest value. */
export const orderBy = (table: TableObject): string[] =>
  keyColumns(table).map(({ storedName }) => `"rows".${quoteName(storedName)} ASC NULLS LAST`);

/** The columns of the primary index, in its order. */
export const keyColumns = (table: TableObject): TableObject['columns'] =>
  table.primaryIndex.map((id) => table.columns.find((column) => column.id === id)!);
