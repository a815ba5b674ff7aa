import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkloadQuery } from '../workload.ts';

const COUNT = 99;
let read: readonly WorkloadQuery[] | undefined;

/**
 * Reads the 99 queries from the files `01.sql` to `99.sql`, which we may not distribute. They are in the folder
 * that TESSERA_TPCDS_QUERIES names, or in `tpcds/queries` of the test data.
 * @throws Error that names the missing folder
 */
export function tpcdsQueries(): readonly WorkloadQuery[] {
  read ??= readQueries(queriesFolder());
  return read;
}

/** The folder in which the queries are searched. */
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
