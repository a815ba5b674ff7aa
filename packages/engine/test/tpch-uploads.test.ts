import { existsSync, openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upload } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';
import { expectTpchAnswer, TPCH_DATA, TPCH_QUERIES, TPCH_TABLES, tpchQuery } from './tpch-answers.ts';

let server: TesseraProcess;
let files: Record<string, Blob>;

describe.skipIf(!existsSync(TPCH_DATA))(
  'TPC-H over uploaded files (skipped where the test data is absent)',
  () => {
    beforeAll(async () => {
      server = await startTessera();
      const blobs = await Promise.all(
        TPCH_TABLES.map((table) => openAsBlob(join(TPCH_DATA, 'sf0.01', `${table}.parquet`))),
      );
      files = Object.fromEntries(TPCH_TABLES.map((table, i) => [table, blobs[i]!]));
    });
    afterAll(() => server[Symbol.asyncDispose]());

    it.each(TPCH_QUERIES)('%s gives the official answer', async (name) => {
      const answer = await upload(server, overUploads(await tpchQuery(name)), files, {
        output_format: 'TabSeparatedWithNames',
      });
      expect(answer.status, answer.text).toBe(200);
      await expectTpchAnswer(name, 'sf0.01', answer.text);
    });
  },
);

/** Replaces the tables of the query by common table expressions that read the uploads. */
function overUploads(query: string): string {
  const tables = TPCH_TABLES.map(
    (table) => `${table} AS (SELECT * FROM READ_PARQUET('upload://${table}'))`,
  ).join(', ');
  const own = /^\s*WITH\s/i.exec(query);
  return own === null ? `WITH ${tables} ${query}` : `WITH ${tables}, ${query.slice(own[0].length)}`;
}
