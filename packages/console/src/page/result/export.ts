import { fetchResult } from '../engine/request.ts';
import { partsOf } from '../state/files.ts';
import { tell } from '../state/notice.ts';
import { bytesText } from '../units.ts';

export const EXPORT_FORMATS = [
  { text: 'CSV', format: 'CSVWithNames', extension: 'csv' },
  { text: 'JSON', format: 'JSON', extension: 'json' },
  { text: 'Parquet', format: 'Parquet', extension: 'parquet' },
  { text: 'Arrow', format: 'ArrowStream', extension: 'arrows' },
] as const;

/** An export runs the statement again for all of its rows, so it must not change anything. */
export const canExport = (sql: string): boolean =>
  /^\W*(select|with|from|values|table|show|describe|summarize|explain)\b/i.test(
    sql.replace(/^(\s*--.*\n)+/, ''),
  ) && !/\b(insert|update|delete|merge)\b/i.test(sql);

/** Runs a statement again and saves its whole result as a file. */
export async function exportResult(
  sql: string,
  { format, extension }: (typeof EXPORT_FORMATS)[number],
): Promise<void> {
  tell('Running the statement for the file…');
  try {
    const blob = await fetchResult(sql, partsOf(sql), format);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `result.${extension}`;
    link.click();
    // The download keeps the data; the address is no longer needed once it has begun.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    tell(`Saved result.${extension}, ${bytesText(blob.size)}.`);
  } catch (error) {
    tell(`The export failed: ${(error as Error).message}`);
  }
}
