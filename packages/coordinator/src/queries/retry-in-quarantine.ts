import { retryDecision, TesseraError } from '@tessera/common';
import { hasNotStarted, ranAlone } from '@tessera/kernel';
import type { RunningQuery } from './running-queries.ts';

/** Counted from its first failure: how long a query that cannot start in quarantine is tried again. */
const MAX_RETRY_MS = 30_000;

/**
 * Runs `attempt`, and once more in quarantine if its kernel process was lost, or if it ran out of memory
 * while other queries ran: any of them may be the cause, and in quarantine, where queries run one at a time,
 * the query fails alone. An admitted query requests more memory instead and is retried where it ran. A query
 * that needs more sequence values than it had gets more.
 *
 * While other queries hold the memory, no quarantine process can start. A query that ran out of memory is then sent to
 * the serving process again, and so on until it has run in one of the two, or `longestMs` have passed. A query whose
 * process was lost may end the serving process again, so it only waits for its quarantine.
 */
export async function retryInQuarantine<T>(
  query: Pick<RunningQuery, 'signal' | 'activity' | 'admitted' | 'demand' | 'holdsResults'>,
  attempt: (quarantine: boolean) => Promise<T>,
): Promise<T> {
  const { signal, activity, admitted, demand, holdsResults } = query;
  // A client frees no memory of its open results while it waits, so another try would find none.
  const longestMs = holdsResults ? 0 : MAX_RETRY_MS;
  let quarantine = false;
  let isDangerous = false;
  let deadline = Number.POSITIVE_INFINITY;
  for (;;) {
    try {
      return await attempt(quarantine);
    } catch (error) {
      if (signal.aborted || !(error instanceof TesseraError)) throw error;
      if (demand.grew(error)) continue;
      if (retryDecision(error, 'query')?.place !== 'quarantine') throw error;
      const isShort = error.name === 'OUT_OF_MEMORY';
      if (quarantine) {
        if (!hasNotStarted(error) || performance.now() > deadline) throw error;
        quarantine = isDangerous;
      } else if (isShort && admitted !== undefined) {
        if (!(await admitted.retry())) throw error;
      } else {
        if (isShort && ranAlone(error)) throw error;
        deadline = Math.min(deadline, performance.now() + longestMs);
        isDangerous = !isShort;
        quarantine = true;
      }
      activity.retries += 1;
    }
  }
}
