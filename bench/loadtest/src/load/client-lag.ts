import { monitorEventLoopDelay } from 'node:perf_hooks';

const NANOSECONDS = 1e6;
const RESOLUTION_MS = 1;

/** How long this process was not scheduled, in milliseconds. */
export interface Lag {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Measures the delay of this process's event loop, by which the latencies measured here are too high. */
export class ClientLag {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#delay.enable();
  }

  /** The delays since the start; ends the measurement. */
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
