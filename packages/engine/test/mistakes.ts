import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, query } from './http.ts';

/** The statement, SQLSTATE and description of each mistake, one per line, separated by tabs. */
export const MISTAKES = readFileSync(join(import.meta.dirname, 'mistakes.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [sql: string, code: string, description: string]);

/** The tables that the mistakes are about. Every row is in a tablet of its own, and all rows cause the same errors. */
export const MISTAKE_TABLES: readonly string[] = [
  'CREATE TABLE people (id INT NOT NULL, name TEXT, age INT, born DATE)',
  'CREATE TABLE pets (id INT, owner INT, kind TEXT)',
  ...[1, 2].flatMap((n) => [
    `INSERT INTO people VALUES (${n}, 'a', ${n}, '2020-01-0${n}')`,
    `INSERT INTO pets VALUES (${n}, ${n}, 'x')`,
  ]),
];

/** The answer to a mistake, and its SQLSTATE and description. */
export async function mistakeOf(
  server: Parameters<typeof query>[0],
  sql: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer: Answer; readonly told: readonly [code: string, description: string] }> {
  const answer = await query(server, sql, settings);
  const [error] = answer.status === 200 ? [] : answer.json().errors;
  return { answer, told: [error?.code, error?.description] };
}
