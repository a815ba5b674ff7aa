import { monitorEventLoopDelay } from 'node:perf_hooks';

const NANOSECONDS = 1e6;
const RESOLUTION_MS = 1;

/** How long this process did not come to its turn, milliseconds. */
export interface Lag {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Watches how late the event loop of this process is: what that is, latencies measured here have too much. */
export class ClientLag {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#delay.enable();
  }

  /** What it was since the beginning; ends the watch. */
  stop(): Lag {
    this.#delay.disable();
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS);
    return {
      p50: late(this.#delay.percentile(50)),
      p99: late(this.#delay.percentile(99)),
      max: late(this.#delay.max),
    };
  }
}
