import { pause } from '@tessera/common';

/** The clock and the waiting of the delays; tests have one of their own. */
export interface Timer {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const SYSTEM_TIMER: Timer = {
  now: Date.now,
  sleep: (ms, signal) => pause(ms, { signal, ref: false }),
};
