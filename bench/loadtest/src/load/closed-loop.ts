import type { Clock } from './clock.ts';
import { LoopResult } from './loop-result.ts';
import type { Session } from './session.ts';

export interface LoopTimes {
  readonly clock: Clock;
  /** Before what counts. */
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** A server that refuses everything is not asked as fast as it can refuse. */
const PAUSE_AFTER_FAILURE_MS = 5;

/**
 * Every connection sends its next request when it has the answer to the last one: what the server can do at most with so many
 * clients. A server that stalls is asked nothing meanwhile, so that latencies hide the stall: see `openLoop`.
 */
export async function closedLoop(sessions: readonly Session[], times: LoopTimes): Promise<LoopResult> {
  const { clock, warmUpMs, measuredMs } = times;
  const result = new LoopResult();
  const from = clock.now() + warmUpMs;
  const end = from + measuredMs;
  let next = 0;
  let last = end;
  const drive = async (session: Session) => {
    // At least one that counts, however long answers take.
    for (let measured = 0; measured === 0 || clock.now() < end; ) {
      const start = clock.now();
      if (start >= from) measured++;
      try {
        await session.send(next++);
        if (start < from) continue;
        last = Math.max(last, clock.now());
        result.latencies.record(clock.now() - start);
        result.service.record(clock.now() - start);
      } catch (error) {
        if (start >= from) result.fail(error);
        await clock.until(clock.now() + PAUSE_AFTER_FAILURE_MS);
      }
    }
  };
  await Promise.all(sessions.map(drive));
  // What was sent in time counts, and so does the time until it was answered: slow answers are not left out.
  result.seconds = (last - from) / 1_000;
  return result;
}
