/** The number of failures from which attempts are delayed, and how failures are forgotten. */
export interface FailurePolicy {
  /** This many failures are not delayed, because people mistype passwords. */
  readonly free: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** The time after which one failure is forgotten. */
  readonly forgetMs: number;
  /** The maximum number of keys. The key whose last failure is the oldest is dropped first. */
  readonly maxKeys: number;
}

interface Count {
  readonly failures: number;
  readonly atMs: number;
}

/** Counts failures by key as a leaky bucket: each failure doubles the delay, and time reduces it. */
export class FailureCounts {
  readonly #counts = new Map<string, Count>();
  readonly #policy: FailurePolicy;

  constructor(policy: FailurePolicy) {
    this.#policy = policy;
  }

  delayMs(key: string, nowMs: number): number {
    const { free, firstDelayMs, maxDelayMs } = this.#policy;
    const beyond = Math.ceil(this.#failures(key, nowMs) - free);
    return beyond < 1 ? 0 : Math.min(maxDelayMs, firstDelayMs * 2 ** (beyond - 1));
  }

  failed(key: string, nowMs: number): void {
    const { maxKeys } = this.#policy;
    const failures = Math.min(this.#failures(key, nowMs) + 1, this.#mostFailures());
    // The key is deleted and inserted again, so that the map is ordered by the last failure.
    this.#counts.delete(key);
    this.#counts.set(key, { failures, atMs: nowMs });
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > maxKeys && oldest !== undefined) this.#counts.delete(oldest);
  }

  forget(key: string): void {
    this.#counts.delete(key);
  }

  #failures(key: string, nowMs: number): number {
    const count = this.#counts.get(key);
    return count === undefined
      ? 0
      : Math.max(0, count.failures - (nowMs - count.atMs) / this.#policy.forgetMs);
  }

  /** Further failures would not lengthen the delay, only the time until it is forgotten. */
  #mostFailures(): number {
    const { free, firstDelayMs, maxDelayMs } = this.#policy;
    return free + Math.ceil(Math.log2(maxDelayMs / firstDelayMs)) + 1;
  }
}
