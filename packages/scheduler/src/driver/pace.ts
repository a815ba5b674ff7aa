import { readFileSync } from 'node:fs';

/** The part of the waiting for a processor that is not due to the query itself. */
const OTHERS_PART = 0.5;

/**
 * Returns a function that tells how long a millisecond of work takes at present, in milliseconds, because other threads use the
 * processors too: from how long this thread has waited for one since this call. 1 where the system does not tell.
 */
export function paceFromNow(times: () => ThreadTimes | undefined = thisThread): () => number {
  const begin = times();
  return () => {
    const now = times();
    if (begin === undefined || now === undefined || now.ran <= begin.ran) return 1;
    return 1 + (OTHERS_PART * (now.waited - begin.waited)) / (now.ran - begin.ran);
  };
}

/** For how long a thread has run and has waited for a processor, in nanoseconds. */
interface ThreadTimes {
  readonly ran: number;
  readonly waited: number;
}

function thisThread(): ThreadTimes | undefined {
  try {
    const [ran = 0, waited = 0] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number);
    return { ran, waited };
  } catch {
    return undefined;
  }
}
