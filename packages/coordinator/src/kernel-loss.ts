import { TesseraError } from '@tessera/common';

/**
 * Runs `attempt`, and once more in quarantine when its kernel went away under it: of the queries that ran in a kernel
 * when it died, one may be the cause, and in quarantine it dies alone.
 */
export async function retriedOnKernelLoss<T>(
  signal: AbortSignal,
  attempt: (quarantine: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(false);
  } catch (error) {
    if (!(error instanceof TesseraError) || error.retry !== 'query' || signal.aborted) throw error;
    return attempt(true);
  }
}
