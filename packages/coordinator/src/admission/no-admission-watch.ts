import { startTimer, type Timer } from '@tessera/common';
export interface AdmissionLog {
  warn(facts: object, message: string): void;
}

export interface WatchOptions {
  /** The number of waiting queries. */
  readonly queued: () => number;
  readonly running: () => number;
  /** The time without any admission, while queries wait, after which a warning is logged. */
  readonly secondsUntilWarning: number;
  readonly secondsBetweenWarnings: number;
  readonly log: AdmissionLog;
}

/** Logs a warning if queries wait and none is admitted for long. */
export class NoAdmissionWatch {
  readonly #options: WatchOptions;
  #timer: Timer | undefined;
  #waitingSince = 0;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Called when a query begins to wait. */
  onQueued(): void {
    if (this.#timer !== undefined) return;
    this.#waitingSince = performance.now();
    this.#wake(this.#options.secondsUntilWarning);
  }

  /** Called when a query was admitted or stopped waiting. */
  onMoved(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    if (this.#options.queued() > 0) this.onQueued();
  }

  #wake(seconds: number): void {
    this.#timer = startTimer(() => this.#warn(), seconds * 1000).unref();
  }

  #warn(): void {
    const { queued, running, log, secondsBetweenWarnings, secondsUntilWarning } = this.#options;
    const now = performance.now();
    const due = this.#warnedAt + secondsBetweenWarnings * 1000 - now;
    if (due > 0) {
      this.#wake(due / 1000);
      return;
    }
    const seconds = Math.round((now - this.#waitingSince) / 1000);
    log.warn({ queued: queued(), running: running(), seconds }, 'queries are waiting and none was admitted');
    this.#warnedAt = now;
    this.#wake(Math.max(secondsBetweenWarnings, secondsUntilWarning));
  }
}
