import { writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { cancellation } from '@tessera/common';
import { literalPath, quoteName, quoteText } from '@tessera/kernel';
import { requireComplete } from '@tessera/readers';
import { csvHead } from '../csv/csv-head.ts';
import { createFile } from '../csv/part-files.ts';
import { fetchCsv } from '../csv/split-csv.ts';
import type { CsvTable, FileSource, ScanReader, TableColumn } from '../file-scan.ts';
import { mapInTurns } from '../map-in-turns.ts';
import { constantValue, filePosition } from './column-value.ts';

const UNITS_AT_ONCE = 4;

export interface CsvScope {
  readonly directory: string;
  readonly reader: ScanReader;
  readonly signal: AbortSignal;
}

/**
 * Fetches the CSV files of a table, and returns their rows as SQL. The first records of the file from which the columns
 * follow are the first file of the scan, so that the columns do not depend on which files are read.
 */
export async function openCsvTable(
  units: FileSource['units'],
  wanted: readonly TableColumn[],
  { settings, shape, first, columns }: CsvTable,
  { directory, reader: { range, copy }, signal }: CsvScope,
): Promise<{ readonly sql: string; readonly paths: readonly string[] }> {
  const head = join(directory, 'head');
  await writeFile(head, await csvHead(first, shape, range), { mode: 0o600 });
  const paths = await mapInTurns(units, UNITS_AT_ONCE, async (unit, i) => {
    if (signal.aborted) throw cancellation(signal);
    // A file of this node is read where it is.
    if (isAbsolute(unit.file.url)) {
      await requireComplete({ path: unit.file.url, label: unit.file.url }, shape.compression, signal);
      return unit.file.url;
    }
    const path = join(directory, `unit-${i}`);
    await fetchCsv(unit, path, shape, { copy, create: createFile, signal });
    return path;
  });
  const position = filePosition([head, ...paths], columns);
  const value = ({ name, type }: TableColumn): string => {
    const isConstant = units.some(({ constants }) => Object.hasOwn(constants ?? {}, name));
    const texts = units.map(({ constants }) => constants?.[name] ?? null);
    if (isConstant) return constantValue(texts, type, `${position.sql} - 1`);
    const cell = `f.${quoteName(name)}`;
    return type === 'BIGINT' ? `CAST(tsr_integer_text(${cell}) AS BIGINT)` : `CAST(${cell} AS ${type})`;
  };
  const items = wanted.map((column) => `${value(column)} AS ${quoteName(column.name)}`);
  const list = [head, ...paths.map(literalPath)].map(quoteText).join(', ');
  const sql = `(SELECT ${items.join(', ') || 'NULL AS nothing'} FROM read_csv([${list}], ${settings}${position.argument}) AS f WHERE ${position.sql} > 0)`;
  return { sql, paths };
}
