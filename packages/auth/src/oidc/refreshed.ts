import { type Logger, startTimer, type Timer } from '@tessera/common';

export interface RetryDelays {
  readonly firstMs: number;
  readonly maxMs: number;
}

export const RETRY_DELAYS: RetryDelays = { firstMs: 1_000, maxMs: 30_000 };

interface Options<T> {
  /** The name of the document in log messages. */
  readonly what: string;
  readonly everyMs: number;
  readonly retry: RetryDelays;
  readonly log: Logger;
  /** It is never called concurrently. */
  load(): Promise<T>;
  /** Called with the new value and the previous one. */
  loaded(value: T, previous: T | undefined): void;
}

/**
 * A value that is loaded repeatedly in the background. If a load fails, the last value remains in use, and
 * loads are retried at growing intervals until one succeeds.
 */
export class Refreshed<T> {
  readonly #options: Options<T>;
  #value: T | undefined;
  #loadedAt = 0;
  #failures = 0;
  #flight: Promise<void> | undefined;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: Options<T>) {
    this.#options = options;
  }

  /** The value that was loaded last. */
  get value(): T | undefined {
    return this.#value;
  }

  /** Whether the last load failed; a retry is scheduled. */
  get failing(): boolean {
    return this.#failures > 0;
  }

  get ageMs(): number {
    return performance.now() - this.#loadedAt;
  }

  /** Loads now, or joins the load in progress. Does not reject: errors are logged. */
  async refresh(): Promise<void> {
    if (this.#closed) return;
    this.#flight ??= this.#load().finally(() => {
      this.#flight = undefined;
      this.#schedule();
    });
    await this.#flight;
  }

  close(): void {
    this.#closed = true;
    this.#timer?.clear();
  }

  async #load(): Promise<void> {
    const { what, log } = this.#options;
    try {
      const previous = this.#value;
      this.#value = await this.#options.load();
      this.#loadedAt = performance.now();
      if (this.#failures > 0) log.info({ failures: this.#failures }, `${what}: the provider answers again`);
      this.#failures = 0;
      this.#options.loaded(this.#value, previous);
    } catch (err) {
      if (this.#closed) return;
      this.#failures++;
      const age = this.#value === undefined ? undefined : { ageSeconds: Math.round(this.ageMs / 1000) };
      const consequence = age === undefined ? 'tokens are refused' : 'the last one stays in use';
      log.warn({ err, failures: this.#failures, ...age }, `${what} could not be read; ${consequence}`);
    }
  }

  #schedule(): void {
    this.#timer?.clear();
    if (this.#closed) return;
    const delayMs = this.failing ? this.#retryDelayMs() : this.#options.everyMs;
    this.#timer = startTimer(() => void this.refresh(), delayMs).unref();
  }

  /**
   * A random time between half the interval and the interval, so that the nodes of a cluster do not all load at
   * once.
   */
  #retryDelayMs(): number {
    const { firstMs, maxMs } = this.#options.retry;
    return Math.min(firstMs * 2 ** (this.#failures - 1), maxMs) * (0.5 + Math.random() / 2);
  }
}
