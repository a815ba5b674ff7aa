import { existsSync, openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upload } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const DATA = join(
  process.env.TESSERA_TEST_DATA ?? join(import.meta.dirname, '../../../../shared/data'),
  'tpch',
);
const TABLES = ['customer', 'lineitem', 'nation', 'orders', 'part', 'partsupp', 'region', 'supplier'];
const QUERIES = Array.from({ length: 22 }, (_, i) => `q${String(i + 1).padStart(2, '0')}`);

let server: TesseraProcess;
let files: Record<string, Blob>;

describe.skipIf(!existsSync(DATA))(
  'TPC-H over uploaded files (skipped where the test data is absent)',
  () => {
    beforeAll(async () => {
      server = await startTessera();
      const blobs = await Promise.all(
        TABLES.map((table) => openAsBlob(join(DATA, 'sf0.01', `${table}.parquet`))),
      );
      files = Object.fromEntries(TABLES.map((table, i) => [table, blobs[i]!]));
    });
    afterAll(() => server[Symbol.asyncDispose]());

    it.each(QUERIES)('%s gives the official answer', async (name) => {
      const text = await readFile(join(DATA, 'queries', `${name}.sql`), 'utf8');
      const expected = (await readFile(join(DATA, 'answers/sf0.01', `${name}.csv`), 'utf8'))
        .replace(/\n$/, '')
        .split('\n');
      const answer = await upload(server, overUploads(text), files, {
        output_format: 'TabSeparatedWithNames',
      });
      expect(answer.status, answer.text).toBe(200);
      const rows = answer.text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => line.split('\t'));
      const expectedRows = expected.map((line) => line.split('|'));
      expect(rows.slice(1)).toHaveLength(expectedRows.length - 1);
      for (const [i, row] of rows.slice(1).entries()) {
        for (const [j, value] of row.entries())
          expectSame(value, expectedRows[i + 1]![j]!, `row ${i + 1}, column ${j + 1}`);
      }
    });
  },
);

/** The tables of the query become common table expressions that read the uploads. */
function overUploads(query: string): string {
  const tables = TABLES.map((table) => `${table} AS (SELECT * FROM READ_PARQUET('upload://${table}'))`).join(
    ', ',
  );
  const own = /^\s*WITH\s/i.exec(query);
  return own === null ? `WITH ${tables} ${query}` : `WITH ${tables}, ${query.slice(own[0].length)}`;
}

/** Numbers may differ in the last digit printed: 1e-6 relative. */
function expectSame(actual: string, expected: string, where: string): void {
  if (actual === expected || (actual === '\\N' && expected === '')) return;
  const [a, b] = [Number(actual), Number(expected)];
  expect(
    Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b)),
    `${where}: ${actual} for ${expected}`,
  ).toBe(true);
}
