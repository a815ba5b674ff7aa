import { collectGarbage, startInterval } from '@tessera/common';

const CHECK_MS = 10_000;
/** The CPU time, as a share of the time that has passed, below which the process counts as idle. */
const IDLE_SHARE = 0.05;

export interface IdleHeapOptions {
  /** The CPU seconds that the process has used so far. */
  readonly cpuSeconds: () => number;
  /** The seconds that have passed since some moment. */
  readonly seconds: () => number;
  readonly collect: () => void;
}

/**
 * Decides when the heap of a process is collected that has worked and is now idle. V8 keeps the garbage of the last
 * work, such as 60 MB of a start, until further work needs the memory.
 */
export class IdleHeap {
  readonly #options: IdleHeapOptions;
  #hasWorked = true;
  #cpuSeconds: number;
  #at: number;

  constructor(options: IdleHeapOptions) {
    this.#options = options;
    this.#cpuSeconds = options.cpuSeconds();
    this.#at = options.seconds();
  }

  /** Collects the heap if the process was idle since the last check, and worked since the last collection. */
  check(): void {
    const { cpuSeconds, seconds, collect } = this.#options;
    const [cpuNow, now] = [cpuSeconds(), seconds()];
    const isIdle = cpuNow - this.#cpuSeconds < IDLE_SHARE * (now - this.#at);
    this.#cpuSeconds = cpuNow;
    this.#at = now;
    if (isIdle && this.#hasWorked) collect();
    this.#hasWorked = !isIdle;
  }
}

/** Collects the heap of this process whenever it becomes idle; the returned function ends that. */
export function collectWhenIdle(): () => void {
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  const heap = new IdleHeap({
    cpuSeconds,
    seconds: () => performance.now() / 1000,
    collect: () => collectGarbage('major'),
  });
  const checking = startInterval(() => heap.check(), CHECK_MS).unref();
  return () => checking.clear();
}
