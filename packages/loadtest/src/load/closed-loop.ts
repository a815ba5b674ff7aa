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
  const drive = async (session: Session) => {
    for (let start = clock.now(); start < end; start = clock.now()) {
      try {
        await session.send(next++);
        const now = clock.now();
        if (start < from || now > end) continue;
        result.latencies.record(now - start);
        result.service.record(now - start);
      } catch (error) {
        if (start >= from) result.fail(error);
        await clock.until(clock.now() + PAUSE_AFTER_FAILURE_MS);
      }
    }
  };
  await Promise.all(sessions.map(drive));
  result.seconds = measuredMs / 1_000;
  return result;
}
