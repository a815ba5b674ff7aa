import { pause } from '@tessera/common';

/** The clock and the timer of the delays. Tests replace it. */
export interface Timer {
  /** The time in milliseconds since 1970. */
  now(): number;
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const SYSTEM_TIMER: Timer = {
  now: Date.now,
  sleep: (ms, signal) => pause(ms, { signal, ref: false }),
};
