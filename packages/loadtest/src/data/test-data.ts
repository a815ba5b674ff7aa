import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folder of a TPC-H data set (`sf0.1/<table>.parquet`, `queries/qNN.sql`), from TESSERA_TEST_DATA or the place the
 * tests know. @throws Error naming the folder that is not there
 */
export function tpchFolder(): string {
  const root = process.env.TESSERA_TEST_DATA ?? join(import.meta.dirname, '../../../../../shared/data');
  const folder = join(root, 'tpch');
  if (existsSync(folder)) return folder;
  throw new Error(
    `This benchmark needs the TPC-H data set, and ${folder} is not there (TESSERA_TEST_DATA names its parent)`,
  );
}

/** False: the benchmarks over TPC-H are left out. */
export function hasTpchFolder(): boolean {
  try {
    return tpchFolder() !== '';
  } catch {
    return false;
  }
}
