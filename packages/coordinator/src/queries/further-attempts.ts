import { TesseraError } from '@tessera/common';
import { ranAlone } from '@tessera/kernel';
import type { RunningQuery } from './running-queries.ts';

/**
 * Runs `attempt`, and once more in quarantine when its kernel went away under it, or ran out of memory while it ran other
 * queries too: one of these may be the cause, and in quarantine, where queries run one at a time, it fails alone. A query that
 * was admitted asks for more memory instead, and runs where it ran. One that needs more values of a sequence than it got gets
 * more.
 */
export async function withFurtherAttempts<T>(
  { signal, activity, admitted, demand }: Pick<RunningQuery, 'signal' | 'activity' | 'admitted' | 'demand'>,
  attempt: (quarantine: boolean) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await attempt(false);
    } catch (error) {
      if (signal.aborted || !(error instanceof TesseraError)) throw error;
      if (demand.grew(error)) continue;
      if (error.name === 'OUT_OF_MEMORY' && admitted !== undefined) {
        if (!(await admitted.retry())) throw error;
        activity.retries += 1;
        continue;
      }
      const mayBeAnothers = error.name === 'OUT_OF_MEMORY' && !ranAlone(error);
      if (error.name !== 'KERNEL_LOST' && !mayBeAnothers) throw error;
      activity.retries += 1;
      return attempt(true);
    }
  }
}
