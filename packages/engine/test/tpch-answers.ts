import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';

/** The directory of the test data, outside of the repository. */
export const TEST_DATA =
  process.env.TESSERA_TEST_DATA ?? join(import.meta.dirname, '../../../../shared/data');
export const TPCH_DATA = join(TEST_DATA, 'tpch');
export const TPCH_TABLES = [
  'customer',
  'lineitem',
  'nation',
  'orders',
  'part',
  'partsupp',
  'region',
  'supplier',
];
/** The names `q01` to `q22`. */
export const TPCH_QUERIES = Array.from({ length: 22 }, (_, i) => `q${String(i + 1).padStart(2, '0')}`);

export const tpchQuery = (name: string): Promise<string> =>
  readFile(join(TPCH_DATA, 'queries', `${name}.sql`), 'utf8');

/** Compares an answer as `TabSeparatedWithNames` with the official one of a scale. */
export async function expectTpchAnswer(name: string, scale: string, answer: string): Promise<void> {
  const official = await readFile(join(TPCH_DATA, 'answers', scale, `${name}.csv`), 'utf8');
  const expected = official.replace(/\n$/, '').split('\n').slice(1);
  const rows = answer.replace(/\n$/, '').split('\n').slice(1);
  expect(rows).toHaveLength(expected.length);
  for (const [i, row] of rows.entries()) {
    const values = expected[i]!.split('|');
    for (const [j, value] of row.split('\t').entries())
      expectSame(value, values[j]!, `row ${i + 1}, column ${j + 1}`);
  }
}

/** Numbers may differ in the last printed digit: 1e-6 relative. */
function expectSame(actual: string, expected: string, where: string): void {
  if (actual === expected || (actual === '\\N' && expected === '')) return;
  const [a, b] = [Number(actual), Number(expected)];
  expect(
    Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b)),
    `${where}: ${actual} for ${expected}`,
  ).toBe(true);
}
