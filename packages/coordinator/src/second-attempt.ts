import { TesseraError } from '@tessera/common';

/**
 * Runs `attempt`, and once more in quarantine when its kernel went away under it or ran out of memory: of the queries that
 * ran in that kernel one may be the cause, and in quarantine, where queries run one at a time, it fails alone.
 */
export async function withSecondAttempt<T>(
  signal: AbortSignal,
  attempt: (quarantine: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(false);
  } catch (error) {
    if (!isWorthAnother(error) || signal.aborted) throw error;
    return attempt(true);
  }
}

const isWorthAnother = (error: unknown): boolean =>
  error instanceof TesseraError && (error.name === 'KERNEL_LOST' || error.name === 'OUT_OF_MEMORY');
