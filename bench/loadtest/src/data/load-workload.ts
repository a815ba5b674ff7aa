import { rm, stat } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
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
      for await (const path of uploadable(`${directory}/${table.name}.parquet`))
        await upload(url, sql, { path }, { token });
    }
  } finally {
    await connection.close();
  }
}

/** Below the limit of 1 GB for the files of one request. */
const MAX_UPLOAD_BYTES = 800_000_000;

/** The Parquet file itself, or its rows in several files, each of which exists until the next one is requested. */
async function* uploadable(path: string): AsyncGenerator<string> {
  const parts = Math.ceil((await stat(path)).size / MAX_UPLOAD_BYTES);
  if (parts === 1) {
    yield path;
    return;
  }
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const part = `${path}.part`;
  try {
    const counted = await connection.runAndReadAll(`SELECT count(*) FROM '${path}'`);
    const rows = Math.ceil(Number(counted.getRows()[0]![0]) / parts);
    for (let i = 0; i < parts; i += 1) {
      await connection.run(
        `COPY (SELECT * EXCLUDE file_row_number FROM read_parquet('${path}', file_row_number = true)
               WHERE file_row_number >= ${i * rows} AND file_row_number < ${(i + 1) * rows})
         TO '${part}' (FORMAT parquet, COMPRESSION zstd)`,
      );
      yield part;
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(part, { force: true });
  }
}

/** The statement that creates a table of a workload. */
export const createTable = ({ name, columns, sortKey }: WorkloadTable): string => {
  const defined = columns.map(
    (column) => `${column.name} ${column.type}${column.nullable ? '' : ' NOT NULL'}`,
  );
  return `CREATE TABLE ${name} (${defined.join(', ')}) PRIMARY INDEX ${sortKey.join(', ')}`;
};
