import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectOfficialAnswers, expectOfficialTables, hasOfficialTpch } from '../testing/official-tpch.ts';
import { ParquetReader } from '../testing/parquet-reader.ts';
import { tpch } from './tpch.ts';

const MINUTES = 60_000;

/** The row counts of the reference data (clause 4.2.5). */
const ROWS_AT_1 = {
  region: 5,
  nation: 25,
  supplier: 10_000,
  customer: 150_000,
  part: 200_000,
  partsupp: 800_000,
  orders: 1_500_000,
  lineitem: 6_001_215,
};

describe.skipIf(process.env.TESSERA_TPC !== 'all' || !hasOfficialTpch)(
  'TPC-H at larger scales (skipped without TESSERA_TPC=all and the official tables)',
  () => {
    it(
      'scale 0.1 equals the official tables',
      () => generated(0.1, (reader, directory) => expectOfficialTables(reader, directory, 'sf0.1')),
      5 * MINUTES,
    );

    it(
      'scale 1 has the official counts and answers',
      () =>
        generated(1, async (reader, directory) => {
          for (const [table, rows] of Object.entries(ROWS_AT_1))
            expect(await reader.rows(`SELECT count(*) FROM '${directory}/${table}.parquet'`)).toEqual([
              [String(rows)],
            ]);
          await expectOfficialAnswers(reader, directory, 'sf1');
        }),
      10 * MINUTES,
    );
  },
);

async function generated(
  scale: number,
  check: (reader: ParquetReader, directory: string) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-tpch-'));
  try {
    await tpch.generate({ scale, directory });
    await using reader = await ParquetReader.open();
    await check(reader, directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
