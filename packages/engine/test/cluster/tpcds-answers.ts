import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TEST_DATA } from '../tpch-answers.ts';

export const TPCDS_DATA = join(TEST_DATA, 'tpcds');
/** The names `01` to `99`. */
export const TPCDS_QUERIES = Array.from({ length: 99 }, (_, i) => String(i + 1).padStart(2, '0'));

export const tpcdsQuery = (name: string): Promise<string> =>
  readFile(join(TPCDS_DATA, 'queries', `${name}.sql`), 'utf8');

/** Values as texts; NULL is the empty text. */
type Rows = readonly (readonly string[])[];

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * The difference between an answer in `TabSeparatedWithNames` and the official one; undefined if there is
 * none. Rows that tie at a LIMIT may be chosen freely: then `whole` returns all rows of the query without the
 * limit, and the answer must be a part of them.
 */
export async function tpcdsDifference(
  name: string,
  scale: string,
  answer: string,
  whole: (sql: string) => Promise<string>,
): Promise<string | undefined> {
  const official = await readFile(join(TPCDS_DATA, 'answers', scale, `${name}.csv`), 'utf8');
  const expected = official
    .replace(/\n$/, '')
    .split('\n')
    .slice(1)
    .map((line) => line.split('|').map(unquoted));
  const actual = rowsOf(answer);
  if (actual.length !== expected.length) return `${actual.length} rows for ${expected.length}`;
  const missing = missingRow(expected, actual);
  if (missing === undefined) return undefined;
  const sql = await tpcdsQuery(name);
  const limit = /\bLIMIT\s+(\d+)\s*;?\s*$/i.exec(sql);
  const differs = `no row like ${missing.join('|')}`;
  if (limit === null || actual.length < Number(limit[1])) return differs;
  const strange = missingRow(actual, rowsOf(await whole(sql.slice(0, limit.index))));
  return strange === undefined ? undefined : `${differs}; not of the query: ${strange.join('|')}`;
}

const unquoted = (value: string): string =>
  value === 'NULL' ? '' : value.replace(/^"(.*)"$/, '$1').replaceAll('""', '"');

const rowsOf = (answer: string): string[][] =>
  answer
    .replace(/\n$/, '')
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t').map((value) => (value === '\\N' ? '' : value)));

/** A row that occurs more often in the first list than in the second. */
function missingRow(first: Rows, second: Rows): readonly string[] | undefined {
  const left = new Map<string, (readonly string[])[]>();
  const key = (row: readonly string[]) => row.filter((value) => !NUMBER.test(value)).join('|');
  for (const row of second) left.set(key(row), [...(left.get(key(row)) ?? []), row]);
  return first.find((row) => {
    const alike = left.get(key(row)) ?? [];
    const at = alike.findIndex((other) => isSameRow(row, other));
    if (at >= 0) alike.splice(at, 1);
    return at < 0;
  });
}

/** Numbers may differ in the last printed digit: 1e-6 relative. */
function isSameRow(row: readonly string[], other: readonly string[]): boolean {
  return row.every((value, i) => {
    if (value === other[i]) return true;
    const [a, b] = [Number(value), Number(other[i])];
    return Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b), 1);
  });
}
