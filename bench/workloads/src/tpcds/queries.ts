import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkloadQuery } from '../workload.ts';

const COUNT = 99;
let read: readonly WorkloadQuery[] | undefined;

/**
 * The 99 queries, from the files `01.sql` to `99.sql` of the folder that TESSERA_TPCDS_QUERIES names, or of
 * `tpcds/queries` in the test data: their text is not ours to give away. @throws Error naming the folder that is not there
 */
export function tpcdsQueries(): readonly WorkloadQuery[] {
  read ??= readQueries(queriesFolder());
  return read;
}

/** Where the queries are looked for. */
export function queriesFolder(): string {
  const testData = process.env.TESSERA_TEST_DATA ?? join(import.meta.dirname, '../../../../../shared/data');
  return process.env.TESSERA_TPCDS_QUERIES ?? join(testData, 'tpcds/queries');
}

function readQueries(folder: string): WorkloadQuery[] {
  if (!existsSync(folder))
    throw new Error(
      `The queries of TPC-DS are not in ${folder}: TESSERA_TPCDS_QUERIES names a folder with them as 01.sql to 99.sql`,
    );
  return Array.from({ length: COUNT }, (_, place) => {
    const number = String(place + 1).padStart(2, '0');
    const sql = readFileSync(join(folder, `${number}.sql`), 'utf8').trim();
    return { name: `q${number}`, sql: sql.replace(/;$/, '') };
  });
}
