import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tpch } from '../tpch/tpch.ts';
import type { ParquetReader } from './parquet-reader.ts';

const FOLDER = join(
  process.env.TESSERA_TEST_DATA ?? join(import.meta.dirname, '../../../../../shared/data'),
  'tpch',
);

/** Whether the official tables and answers are available here. */
export const hasOfficialTpch = existsSync(FOLDER);

/** The text of a query with its validation parameters. */
export async function officialQuery(name: string): Promise<string> {
  const text = await readFile(join(FOLDER, 'queries', `${name}.sql`), 'utf8');
  return text.replace(/;\s*$/, '');
}

/** Yields every value of every row in the order of the files. */
export async function expectOfficialTables(
  reader: ParquetReader,
  directory: string,
  scale: string,
): Promise<void> {
  for (const { name, columns } of tpch.tables) {
    const numbered = (file: string): string =>
      `(SELECT *, file_row_number AS place FROM read_parquet('${file}', file_row_number = true))`;
    const official = join(FOLDER, scale, `${name}.parquet`);
    const differs = columns.map(
      (c) => `count(*) FILTER (made.${c.name} IS DISTINCT FROM official.${c.name})`,
    );
    const [counts] = await reader.rows(
      `SELECT count(*) - (SELECT count(*) FROM '${official}'), ${differs.join(', ')}
       FROM ${numbered(join(directory, `${name}.parquet`))} AS made
       FULL JOIN ${numbered(official)} AS official USING (place)`,
    );
    const wrong = ['rows', ...columns.map((column) => column.name)].filter((_, i) => counts![i] !== '0');
    expect(wrong, `${name}: columns that differ`).toEqual([]);
  }
}

/**
 * All 22 answers. Integers and texts must match exactly, other numbers to the written digits or within a
 * millionth.
 */
export async function expectOfficialAnswers(
  reader: ParquetReader,
  directory: string,
  scale: string,
): Promise<void> {
  for (const { name } of tpch.tables)
    await reader.rows(
      `CREATE OR REPLACE VIEW ${name} AS SELECT * FROM '${join(directory, `${name}.parquet`)}'`,
    );
  for (const { name, sql } of tpch.queries) {
    const file = await readFile(join(FOLDER, 'answers', scale, `${name}.csv`), 'utf8');
    const official = file.replace(/\n$/, '').split('\n').slice(1);
    const answer = await reader.rows(sql);
    expect(answer, `${name}: rows`).toHaveLength(official.length);
    for (const [i, row] of answer.entries()) {
      const wanted = official[i]!.split('|');
      expect(
        row.map((value, j) => asWritten(value, wanted[j]!)),
        `${name}, row ${i + 1}`,
      ).toEqual(wanted.map((value) => value.trim()));
    }
  }
}

/**
 * Returns the official value if the other one differs only in its last digits. Surrounding spaces are ignored.
 */
function asWritten(value: string | null, wanted: string): string {
  const decimals = /^-?\d+\.(\d+)$/.exec(wanted)?.[1]?.length;
  if (decimals === undefined) return (value ?? '').trim();
  const off = Math.abs(Number(value) - Number(wanted));
  return off <= Math.max(0.5001 * 10 ** -decimals, 1e-6 * Math.abs(Number(wanted))) ? wanted : String(value);
}
