import { TesseraError } from '@tessera/common';
import { failedValueOf } from '@tessera/kernel';
import { firstUnreadable, firstWithCell } from '@tessera/readers';
import type { CsvFile, ReadFile } from './read-resolution.ts';

type CsvReadFile = Pick<ReadFile, 'label' | 'path' | 'csv'>;

const csvFiles = new WeakMap<Error, readonly CsvReadFile[]>();

/** Keeps with an error of a statement which files it read, for `withPlaceInCsv`. */
export function keepCsvFiles<E extends TesseraError>(error: E, files: readonly CsvReadFile[]): E {
  if (files.some(({ csv }) => csv !== undefined)) csvFiles.set(error, files);
  return error;
}

/** Looking for a place takes time that grows with the files; after so long the error is told without it. */
const MAX_SEARCH_MS = 5_000;

/**
 * An error of a statement that reads CSV files, with the file, the line, the column and the text that are to blame, where they
 * are found: the kernel tells a line at best, and nothing of a cell that a later cast refuses. The files must still be there.
 */
export async function withPlaceInCsv(error: unknown): Promise<unknown> {
  if (!(error instanceof TesseraError)) return error;
  const files = csvFiles.get(error) ?? [];
  const signal = AbortSignal.timeout(MAX_SEARCH_MS);
  try {
    for (const file of files) {
      const found = file.csv && (await placed(error, file, file.csv, signal));
      if (found !== undefined) return found;
    }
  } catch (cause) {
    // The file cannot be decompressed, or is gone: then the error as it is says more.
    if (!(cause instanceof Error)) throw cause;
  }
  return error;
}

async function placed(
  error: TesseraError,
  { path, label }: CsvReadFile,
  { shape, hasHeader, isPadded }: CsvFile,
  signal: AbortSignal,
): Promise<TesseraError | undefined> {
  if (error.name === 'BAD_FILE') {
    const found = isPadded ? undefined : await firstUnreadable(path, shape, signal);
    if (found === undefined) return undefined;
    const { location, resolution } = error;
    return TesseraError.of(
      'BAD_FILE',
      { name: `${label}, line ${found.line}`, reason: `${found.reason}: ${JSON.stringify(found.text)}` },
      { location, resolution, cause: error },
    );
  }
  const value = failedValueOf(error);
  if (value === undefined) return undefined;
  const names = hasHeader ? undefined : [];
  const cell = { text: value.text, column: value.column };
  const found = await firstWithCell(path, shape, cell, names, signal);
  if (found === undefined) return undefined;
  const { line, column, text } = found;
  const [told] = error.message.split(' (the statement reads ');
  return error.with({
    message: `${label}, line ${line}, column "${column}": ${told} (the line is ${JSON.stringify(text)})`,
  });
}
