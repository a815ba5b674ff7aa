import { openAsBlob } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { upload } from '../http.ts';
import type { TesseraProcess } from '../tessera-process.ts';

export interface TpcTables {
  /** A directory with one Parquet file per table. */
  readonly directory: string;
  readonly settings: Readonly<Record<string, string>>;
  /** The SQL that follows CREATE TABLE and the name. */
  readonly clauses: (table: string) => string;
}

/** Loads each file into a table of its name. @throws Error with the engine's error */
export async function loadTpcTables(
  node: Pick<TesseraProcess, 'url'>,
  { directory, settings, clauses }: TpcTables,
): Promise<string[]> {
  const tables = (await readdir(directory))
    .filter((file) => file.endsWith('.parquet'))
    .map((file) => file.replace('.parquet', ''));
  for (const table of tables) {
    const file = await openAsBlob(join(directory, `${table}.parquet`));
    const sql = `CREATE TABLE ${table} ${clauses(table)} AS SELECT * FROM READ_PARQUET('upload://file')`;
    const answer = await upload(node, sql, { file }, settings);
    if (answer.status !== 200) throw new Error(`${table}: ${answer.text}`);
  }
  return tables;
}
