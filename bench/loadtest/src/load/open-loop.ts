import { type Arrivals, arrivalTimes } from './arrivals.ts';
import type { LoopTimes } from './closed-loop.ts';
import { LoopResult } from './loop-result.ts';
import type { Session } from './session.ts';

export interface OpenLoop extends LoopTimes {
  readonly arrivals: Arrivals;
  /** How long requests that were due before the end may still be sent. */
  readonly drainMs: number;
}

/**
 * Requests follow a schedule that does not depend on answers, like those of many users. If all connections
 * are busy, they wait in an unbounded queue, and that time counts: latencies are measured from when a request
 * was *scheduled*. So a stall of the server shows in every request that was due meanwhile, not only in those
 * that were running (no coordinated omission).
 */
export async function openLoop(sessions: readonly Session[], options: OpenLoop): Promise<LoopResult> {
  const { clock, warmUpMs, measuredMs, arrivals, drainMs } = options;
  const result = new LoopResult();
  const times = arrivalTimes(arrivals, warmUpMs + measuredMs);
  const begin = clock.now();
  const givenUpAt = begin + warmUpMs + measuredMs + drainMs;
  let next = 0;
  let due = 0;
  const noteBacklog = (elapsed: number) => {
    while (due < times.length && times[due]! <= elapsed) due++;
    if (elapsed >= warmUpMs) result.backlog = Math.max(result.backlog, due - next);
  };
  const drive = async (session: Session) => {
    while (next < times.length && clock.now() < givenUpAt) {
      const request = next++;
      const wanted = begin + times[request]!;
      const isMeasured = times[request]! >= warmUpMs;
      const wasFree = clock.now() <= wanted;
      await clock.until(wanted);
      const sent = clock.now();
      noteBacklog(sent - begin);
      if (isMeasured && wasFree) result.lateness.record(sent - wanted);
      try {
        await session.send(request);
        if (!isMeasured) continue;
        const now = clock.now();
        result.latencies.record(now - wanted);
        result.service.record(now - sent);
      } catch (error) {
        if (isMeasured) result.fail(error);
      }
    }
  };
  await Promise.all(sessions.map(drive));
  const end = clock.now();
  for (const time of times.slice(next).filter((t) => t >= warmUpMs)) {
    result.unsent++;
    result.latencies.record(end - begin - time);
  }
  result.seconds = Math.max(measuredMs, end - begin - warmUpMs) / 1_000;
  return result;
}
