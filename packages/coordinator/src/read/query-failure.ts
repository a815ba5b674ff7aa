import { type ErrorName, TesseraError } from '@tessera/common';
import { ranAlone } from '@tessera/kernel';
import { keepCsvFiles, keepPlaceInCsv } from './csv-failure.ts';
import type { ReadFile } from './read-file.ts';

type FileName = Pick<ReadFile, 'label' | 'path' | 'csv'>;

export interface FailedQuery {
  readonly files: readonly FileName[];
  /** Whether the query will not be retried. */
  readonly isLastAttempt: boolean;
}

/** Failures that are not caused by the statement: if it reads files, one of them must be invalid. */
const BLAMED_ON_FILES: ReadonlySet<ErrorName> = new Set(['STATEMENT_FAILED', 'BAD_FILE', 'INTERNAL']);
/** Failures caused by data, which may come from a file or from the statement itself. */
const MAY_COME_FROM_FILES: ReadonlySet<ErrorName> = new Set([
  'CAST_ERROR',
  'INVALID_DATETIME_FORMAT',
  'OUT_OF_RANGE',
  'DATETIME_OUT_OF_RANGE',
  'INVALID_POWER',
  'INVALID_LOGARITHM',
  'NOT_SUPPORTED',
  'OUT_OF_MEMORY',
]);

/**
 * The error for the user: with the user's names of files instead of the engine's paths, and attributed to a
 * file if the kernel only reports corrupt data.
 */
export function explainFailure(error: unknown, failed: FailedQuery): unknown {
  if (!(error instanceof TesseraError)) return error;
  return keepCsvFiles(keepPlaceInCsv(explained(error, failed), error), failed.files);
}

function explained(error: TesseraError, { files, isLastAttempt }: FailedQuery): TesseraError {
  const message = withLabels(error.message, files);
  const { location } = error;
  const isNamed = files.length === 0 || files.some(({ label }) => message.includes(label));
  if (
    isBlamedOnFiles(error, isLastAttempt || ranAlone(error)) &&
    files.length > 0 &&
    !message.startsWith('Cannot read ')
  ) {
    return TesseraError.of('BAD_FILE', { name: namesOf(files), reason: message }, { location, cause: error });
  }
  if (MAY_COME_FROM_FILES.has(error.name) && !isNamed && location === undefined) {
    return error.with({ message: `${message} (the statement reads ${namesOf(files)})` });
  }
  return error.with({ message });
}

const isBlamedOnFiles = (error: TesseraError, isLastAttempt: boolean): boolean =>
  BLAMED_ON_FILES.has(error.name) ||
  (isLastAttempt &&
    (error.name === 'KERNEL_LOST' || (error.name === 'OUT_OF_MEMORY' && isAbsurd(error.message))));

/**
 * Whether a single allocation larger than all memory of the engine was requested, as the kernel reports it:
 * `failed to allocate data of size 1.0 TiB (708.3 KiB/1.3 GiB used)`. Only sizes read from a corrupt file are
 * so large.
 */
function isAbsurd(message: string): boolean {
  const sizes = /data of size ([\d.]+ \w+) \([\d.]+ \w+\/([\d.]+ \w+) used\)/.exec(message);
  return sizes !== null && bytesOf(sizes[1]!) > bytesOf(sizes[2]!);
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

function bytesOf(size: string): number {
  const [count, unit] = size.split(' ');
  return Number(count) * 1024 ** UNITS.indexOf(unit!);
}

function namesOf(files: readonly FileName[]): string {
  const labels = [...new Set(files.map((f) => f.label))];
  return labels.length === 1 ? labels[0]! : `one of ${labels.join(', ')}`;
}

function withLabels(message: string, files: readonly FileName[]): string {
  let result = message;
  for (const { path, label } of files) result = result.replaceAll(path, label);
  return result;
}

/**
 * Whether a query failed because the kernel evaluated a column that was not fetched. No result depends on
 * such a column, but the kernel's optimiser does not always recognise that.
 */
export const isUnfetchedColumn = (error: unknown): boolean =>
  error instanceof TesseraError && /Column .* of table .* was not fetched/.test(error.message);
