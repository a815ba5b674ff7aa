import type { Clock } from './clock.ts';
import { LoopResult } from './loop-result.ts';
import type { Session } from './session.ts';

export interface LoopTimes {
  readonly clock: Clock;
  /** The time before measurements count. */
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** A pause, so that a server that refuses everything is not flooded. */
const PAUSE_AFTER_FAILURE_MS = 5;

/**
 * Every connection sends its next request when it has the answer to the last one, which measures the maximum
 * throughput for this many clients. While the server stalls, nothing is sent, so the latencies hide the
 * stall: see `openLoop`.
 */
export async function closedLoop(sessions: readonly Session[], times: LoopTimes): Promise<LoopResult> {
  const { clock, warmUpMs, measuredMs } = times;
  const result = new LoopResult();
  const from = clock.now() + warmUpMs;
  const end = from + measuredMs;
  let next = 0;
  let last = end;
  const drive = async (session: Session) => {
    // At least one request is measured, however long answers take.
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
  // Requests sent in time count with the full time until their answer, so that slow answers are not omitted.
  result.seconds = (last - from) / 1_000;
  return result;
}
