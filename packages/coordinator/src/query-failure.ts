import { TesseraError } from '@tessera/common';
import type { ReadFile } from './read-resolution.ts';

export interface FailedQuery {
  readonly files: readonly ReadFile[];
  /** Whether the query will not be run again. */
  readonly isLastAttempt: boolean;
}

/** Failures that say nothing of the statement: when it reads files, it is one of them that is wrong. */
const BLAMED_ON_FILES = new Set(['STATEMENT_FAILED', 'BAD_FILE', 'INTERNAL']);

/**
 * The error as its user should see it: naming their files instead of the engine's paths, and blaming a file where the
 * kernel only says that data is corrupt.
 */
export function explainFailure(error: unknown, query: FailedQuery): unknown {
  if (!(error instanceof TesseraError)) return error;
  const { location } = error;
  const message = withLabels(error.message, query.files);
  const blamed = query.files.length > 0 && isBlamedOnFiles(error, query);
  if (blamed && !message.startsWith('Cannot read ')) {
    return TesseraError.of(
      'BAD_FILE',
      { name: namesOf(query.files), reason: message },
      { location, cause: error },
    );
  }
  return error.with({ message });
}

function isBlamedOnFiles(error: TesseraError, { isLastAttempt }: FailedQuery): boolean {
  return BLAMED_ON_FILES.has(error.name) || (error.name === 'KERNEL_LOST' && isLastAttempt);
}

function namesOf(files: readonly ReadFile[]): string {
  const labels = [...new Set(files.map((f) => f.label))];
  return labels.length === 1 ? labels[0]! : `one of ${labels.join(', ')}`;
}

function withLabels(message: string, files: readonly ReadFile[]): string {
  let result = message;
  for (const { path, label } of files) result = result.replaceAll(path, label);
  return result;
}
