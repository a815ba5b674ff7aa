import type { Workload, WorkloadTable } from '@tessera/workloads';
import { Connection } from '../http/connection.ts';
import { upload } from '../http/upload.ts';

export interface LoadOptions {
  readonly token?: string | undefined;
  /** The maximum size of tablets, in bytes. */
  readonly tabletBytes?: number;
  progress(table: string): void;
}

/**
 * Creates the tables of a workload on a server of our API and fills them from the Parquet files of a
 * directory.
 */
export async function loadWorkload(
  url: string,
  { tables }: Workload,
  directory: string,
  { token, tabletBytes, progress }: LoadOptions,
): Promise<void> {
  const connection = new Connection(url, token);
  const sizes =
    tabletBytes === undefined
      ? ''
      : ` WITH (tablet_min_size_bytes = 0, tablet_max_size_bytes = ${tabletBytes})`;
  try {
    for (const table of tables) {
      progress(table.name);
      await connection.run(createTable(table));
      const sql = `INSERT INTO ${table.name} SELECT * FROM READ_PARQUET('upload://data')${sizes}`;
      await upload(url, sql, { path: `${directory}/${table.name}.parquet` }, { token });
    }
  } finally {
    await connection.close();
  }
}

/** The statement that creates a table of a workload. */
export const createTable = ({ name, columns, sortKey }: WorkloadTable): string => {
  const defined = columns.map(
    (column) => `${column.name} ${column.type}${column.nullable ? '' : ' NOT NULL'}`,
  );
  return `CREATE TABLE ${name} (${defined.join(', ')}) PRIMARY INDEX ${sortKey.join(', ')}`;
};
