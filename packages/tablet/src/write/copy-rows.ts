import type { TableObject } from '@tessera/catalog';
import { type KernelParams, type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import { storedType } from '../values/stored-type.ts';

export interface CopyJob {
  readonly session: KernelSession;
  readonly table: TableObject;
  /** A query of the table's columns by `storedName`. */
  readonly sql: string;
  readonly params: KernelParams;
  /** Rows come as `sql` gives them, else sorted by the primary index. */
  readonly sorted: boolean;
  readonly path: string;
  readonly rowGroupRows: number;
}

/**
 * Writes rows to one Parquet file; their number. One file, because the kernel gives up the order of the rows when it
 * writes several.
 */
export const copyRows = (job: CopyJob): Promise<number> =>
  job.session.execute(copyStatement(job), job.params);

/** No bloom filters: they would lie outside the column chunks, and a file filled by ranges would read holes as filters. */
function copyStatement({ table, sql, sorted, path, rowGroupRows }: CopyJob): string {
  return (
    `COPY (SELECT ${table.columns.map(storedColumn).join(', ')} FROM (${sql}) AS "rows"${sorted ? '' : orderBy(table)}) ` +
    `TO ${quoteText(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupRows}, ` +
    'WRITE_BLOOM_FILTER false)'
  );
}

const storedColumn = ({ storedName, type }: TableObject['columns'][number]): string => {
  const stored = storedType(type);
  const name = `"rows".${quoteName(storedName)}`;
  return stored === undefined ? name : `CAST(${name} AS ${stored}) AS ${quoteName(storedName)}`;
};

function orderBy(table: TableObject): string {
  const keys = keyColumns(table).map(({ storedName }) => `"rows".${quoteName(storedName)} ASC NULLS LAST`);
  return keys.length === 0 ? '' : ` ORDER BY ${keys.join(', ')}`;
}

/** The columns of the primary index, in its order. */
export const keyColumns = (table: TableObject): TableObject['columns'] =>
  table.primaryIndex.map((id) => table.columns.find((column) => column.id === id)!);
