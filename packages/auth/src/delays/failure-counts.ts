/** When failures begin to cost time. */
export interface FailurePolicy {
  /** Failures that cost nothing: people mistype. */
  readonly free: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** One failure is forgotten after each of these. */
  readonly forgetMs: number;
  /** Keys that are remembered; the one longest without a failure goes first. */
  readonly maxKeys: number;
}

interface Count {
  readonly failures: number;
  readonly atMs: number;
}

/** Failures by key, as a leaky bucket: each doubles the delay, time empties it. */
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
    // Set anew, so that the order of the map is that of the last failures.
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

  /** More would not wait longer, only be remembered longer. */
  #mostFailures(): number {
    const { free, firstDelayMs, maxDelayMs } = this.#policy;
    return free + Math.ceil(Math.log2(maxDelayMs / firstDelayMs)) + 1;
  }
}
