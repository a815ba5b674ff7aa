import { existsSync, openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, query, upload } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';
import { expectTpchAnswer, TPCH_DATA, TPCH_QUERIES, TPCH_TABLES, tpchQuery } from './tpch-answers.ts';

/** The sort keys of the tables. */
const PRIMARY_INDEX: Readonly<Record<string, string>> = {
  lineitem: 'l_shipdate, l_orderkey',
  orders: 'o_orderdate, o_orderkey',
  customer: 'c_custkey',
  part: 'p_partkey',
};

/** Small granules and small tablets, so that some can be pruned. */
const HOSTILE = { tablet_min_size_bytes: '20000', tablet_max_size_bytes: '100000' };

const SCALES = [
  { scale: 'sf0.01', granularity: 2048, settings: HOSTILE },
  { scale: 'sf0.1', granularity: 16_384, settings: {} },
];

describe.skipIf(!existsSync(TPCH_DATA)).each(SCALES)(
  'TPC-H over managed tables, $scale (skipped where the test data is absent)',
  ({ scale, granularity, settings }) => {
    let server: TesseraProcess;

    beforeAll(async () => {
      server = await startTessera();
      for (const table of TPCH_TABLES) {
        const key = PRIMARY_INDEX[table];
        const file = await openAsBlob(join(TPCH_DATA, scale, `${table}.parquet`));
        const sql = `CREATE TABLE ${table} ${key === undefined ? '' : `PRIMARY INDEX ${key}`}
          WITH (index_granularity = ${granularity}) AS SELECT * FROM READ_PARQUET('upload://file')`;
        succeeded(await upload(server, sql, { file }, settings));
      }
    });
    afterAll(() => server[Symbol.asyncDispose]());

    const run = async (name: string): Promise<string> =>
      succeeded(await query(server, await tpchQuery(name), { output_format: 'TabSeparatedWithNames' })).text;

    it.each(TPCH_QUERIES)('%s gives the official answer, twice', async (name) => {
      await expectTpchAnswer(name, scale, await run(name));
      await expectTpchAnswer(name, scale, await run(name));
    });
  },
);

function succeeded(answer: Answer): Answer {
  expect(answer.status, answer.text).toBe(200);
  return answer;
}
