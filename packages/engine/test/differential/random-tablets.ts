import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { upload } from '../http.ts';
import type { PlainDuckDb } from '../sqllogic/plain-duckdb.ts';
import type { TesseraProcess } from '../tessera-process.ts';
import { TINY_TABLETS } from './hostile-settings.ts';
import type { RandomChoice } from './random-choice.ts';

export interface LoadedTables {
  /** Created by the reference; each has a unique column `id`. */
  readonly names: readonly string[];
  readonly reference: PlainDuckDb;
  /** A directory for temporary files. */
  readonly directory: string;
}

/**
 * Copies tables of the reference into the engine as many tablets, and then deletes and changes rows on both
 * sides.
 * @throws Error with the engine's error
 */
export async function loadInTablets(
  node: Pick<TesseraProcess, 'url'>,
  { names, reference, directory }: LoadedTables,
  choice: RandomChoice,
): Promise<void> {
  for (const name of names) {
    const path = join(directory, `${name}.parquet`);
    await reference.run(`COPY ${name} TO '${path}' (FORMAT parquet)`);
    const file = new Blob([await readFile(path)]);
    const run = async (sql: string, files: Record<string, Blob> = {}) => {
      const answer = await upload(node, sql, files, TINY_TABLETS);
      if (answer.status !== 200) throw new Error(`${sql}: ${answer.text}`);
    };
    await run(`DROP TABLE IF EXISTS ${name}`);
    const pieces = choice.pick([1, 2, 5, 9]);
    const piece = (n: number) => `SELECT * FROM READ_PARQUET('upload://file') WHERE id % ${pieces} = ${n}`;
    const kind = choice.weighted([
      [6, ''],
      [1, 'DIMENSION '],
    ] as const);
    const index = choice.pick(['', 'id', await keyColumn(reference, name, choice)]);
    const indexed = index === '' ? '' : `PRIMARY INDEX ${index} `;
    const create = `CREATE ${kind}TABLE ${name} ${indexed}WITH (index_granularity = 2048) AS ${piece(0)}`;
    await run(create, { file });
    for (let n = 1; n < pieces; n++) await run(`INSERT INTO ${name} ${piece(n)}`, { file });
    if (!choice.chance(0.4)) continue;
    const removed = `DELETE FROM ${name} WHERE id % ${choice.pick([2, 7, 13])} = 1`;
    await run(removed);
    await reference.run(removed);
  }
}

/** Types of keys by which nodes may divide a table among them. */
const KEY_TYPES = ['INTEGER', 'BIGINT', 'VARCHAR', 'DATE', 'TIMESTAMP'];

/** A column that tables may be joined by. */
async function keyColumn(reference: PlainDuckDb, table: string, choice: RandomChoice): Promise<string> {
  const types = KEY_TYPES.map((type) => `'${type}'`).join(', ');
  const { rows } = await reference.run(
    `SELECT column_name FROM duckdb_columns() WHERE table_name = '${table}' AND data_type IN (${types}) ORDER BY column_index`,
  );
  return choice.pick(rows.map(([name]) => String(name)));
}
