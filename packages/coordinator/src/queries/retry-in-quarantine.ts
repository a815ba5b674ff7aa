import { retryDecision, TesseraError } from '@tessera/common';
import { ranAlone } from '@tessera/kernel';
import type { RunningQuery } from './running-queries.ts';

/**
 * Runs `attempt`, and once more in quarantine if its kernel process was lost, or if it ran out of memory
 * while other queries ran: any of them may be the cause, and in quarantine, where queries run one at a time,
 * the query fails alone. An admitted query requests more memory instead and is retried where it ran. A query
 * that needs more sequence values than it had gets more.
 */
export async function retryInQuarantine<T>(
  { signal, activity, admitted, demand }: Pick<RunningQuery, 'signal' | 'activity' | 'admitted' | 'demand'>,
  attempt: (quarantine: boolean) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await attempt(false);
    } catch (error) {
      if (signal.aborted || !(error instanceof TesseraError)) throw error;
      if (demand.grew(error)) continue;
      if (retryDecision(error, 'query')?.place !== 'quarantine') throw error;
      if (error.name === 'OUT_OF_MEMORY' && admitted !== undefined) {
        if (!(await admitted.retry())) throw error;
        activity.retries += 1;
        continue;
      }
      if (error.name === 'OUT_OF_MEMORY' && ranAlone(error)) throw error;
      activity.retries += 1;
      return attempt(true);
    }
  }
}
