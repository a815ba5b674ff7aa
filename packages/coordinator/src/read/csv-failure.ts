import { TesseraError } from '@tessera/common';
import { failedValueOf, keepDetails } from '@tessera/kernel';
import {
  firstForeignText,
  firstMixedEnd,
  firstUnreadable,
  firstWithCell,
  requireComplete,
} from '@tessera/readers';
import type { CsvFile, ReadFile } from './read-file.ts';

type CsvReadFile = Pick<ReadFile, 'label' | 'path' | 'csv'>;

const csvFiles = new WeakMap<Error, readonly CsvReadFile[]>();

/** Attaches the files that a statement read to its error, for `withPlaceInCsv`. */
export function keepCsvFiles<E extends TesseraError>(error: E, files: readonly CsvReadFile[]): E {
  if (files.some(({ csv }) => csv !== undefined)) csvFiles.set(error, files);
  return error;
}

/** Returns `error`, which says the same as `original` in other words, with what `withPlaceInCsv` needs to know about `original`. */
export const keepPlaceInCsv = (error: TesseraError, original: TesseraError): TesseraError =>
  keepCsvFiles(keepDetails(error, original), csvFiles.get(original) ?? []);

/**
 * Searching the position takes time proportional to the files; after this time, the error is reported without
 * it.
 */
const MAX_SEARCH_MS = 5_000;

/**
 * Adds file, line, column and text to an error of a statement that reads CSV files, if they can be found: the
 * kernel reports at best a line, and nothing about a cell that a later cast refuses. The files must still
 * exist.
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
    if (cause instanceof TesseraError && cause.name === 'BAD_FILE') return cause;
    // The file cannot be decompressed or is gone; the original error is then more informative.
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
    const { location } = error;
    await requireComplete({ path, label }, shape.compression, signal);
    const foreign = await firstForeignText(path, shape, signal);
    if (foreign !== undefined) return notUtf8(label, foreign).with({ location });
    const uneven = isPadded ? undefined : await firstUnreadable(path, shape, signal);
    const found = uneven ?? (await firstMixedEnd(path, shape, signal));
    if (found === undefined) return undefined;
    const resolution =
      uneven === undefined ? `Give all lines one end: sed 's/\\r$//' FILE > NEW_FILE.` : error.resolution;
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
  const [message] = error.message.split(' (the statement reads ');
  return error.with({
    message: `${label}, line ${line}, column "${column}": ${message} (the line is ${JSON.stringify(text)})`,
  });
}

function notUtf8(
  label: string,
  { line, text, encoding }: NonNullable<Awaited<ReturnType<typeof firstForeignText>>>,
): TesseraError {
  const params =
    encoding === undefined
      ? { name: `${label}, line ${line}`, reason: `it is not in UTF-8: ${JSON.stringify(text)}` }
      : { name: label, reason: `it is in ${encoding}, not in UTF-8` };
  const resolution = `Convert it: iconv -f ${encoding ?? 'WINDOWS-1252'} -t UTF-8 FILE > NEW_FILE.`;
  return TesseraError.of('BAD_FILE', params, { resolution });
}
