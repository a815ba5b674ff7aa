import { stat } from 'node:fs/promises';
import { type KernelSession, literalPath, quoteName, quoteText } from '@tessera/kernel';
import type { ScanTotals } from '@tessera/system-catalog';
import { NOTHING_SCANNED, plus } from '../queries/scan-totals.ts';
import type { ReadFile } from './read-file.ts';

/**
 * Determines the parts of files that a query reads: for Parquet files the rows and the columns that it names, from the footers;
 * for Avro and Arrow files the rows that were loaded; for others the size.
 * @param columns names in lower case; undefined means all
 */
export async function scannedFiles(
  session: KernelSession,
  files: readonly ReadFile[],
  columns: ReadonlySet<string> | undefined,
): Promise<ScanTotals> {
  if (files.length === 0) return NOTHING_SCANNED;
  const parquet = files.filter(({ format }) => format === 'read_parquet');
  const others = files.filter(({ format }) => format !== 'read_parquet');
  const relations = new Set(others.flatMap(({ relation }) => relation ?? []));
  const sizes = await Promise.all(others.map(({ path }) => stat(path).then(({ size }) => size)));
  let totals: ScanTotals = { ...NOTHING_SCANNED, bytesFromFiles: sizes.reduce((sum, size) => sum + size, 0) };
  if (parquet.length > 0) totals = plus(totals, await scannedParquet(session, parquet, columns));
  for (const name of relations) {
    const rows = Number(await session.scalar(`SELECT count(*)::DOUBLE FROM ${quoteName(name)}`));
    totals = plus(totals, { ...NOTHING_SCANNED, rows });
  }
  return totals;
}

async function scannedParquet(
  session: KernelSession,
  files: readonly ReadFile[],
  columns: ReadonlySet<string> | undefined,
): Promise<ScanTotals> {
  const paths = files.map(({ path }) => quoteText(literalPath(path))).join(', ');
  const isRead =
    columns === undefined
      ? 'true'
      : `lower(split_part(path_in_schema, ', ', 1)) IN (${['', ...columns].map(quoteText).join(', ')})`;
  const counts = await session.scalar(
    `SELECT concat(coalesce(sum(row_group_num_rows) FILTER (WHERE column_id = 0), 0), ' ',
       coalesce(sum(total_compressed_size) FILTER (WHERE ${isRead}), 0)) FROM parquet_metadata([${paths}])`,
  );
  const [rows = 0, bytesFromFiles = 0] = String(counts).split(' ').map(Number);
  return { ...NOTHING_SCANNED, rows, bytesFromFiles };
}
