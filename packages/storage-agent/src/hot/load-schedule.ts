import { startTimer, type Timer } from '@tessera/common';
import type { ResidentTableKey } from './resident-table.ts';

/**
 * A build waits until no scan has run for this long, because further scans may want more columns. The wait is
 * bounded.
 */
const BUILD_PAUSE_MS = 200;
const BUILD_DELAY_MS = 10_000;
/** A change is small and only waits for the scan that requested it. */
const CHANGE_DELAY_MS = 20;

/** Decides when a resident table is built or changed, so that loading does not delay scans. */
export class LoadSchedule {
  readonly #start: (key: ResidentTableKey) => void;
  readonly #timers = new Map<ResidentTableKey, Timer>();
  #scans = 0;
  #scanEndedAt = 0;

  constructor(start: (key: ResidentTableKey) => void) {
    this.#start = start;
  }

  /** The number of waiting tables. */
  get size(): number {
    return this.#timers.size;
  }

  /** Registers a running scan; the returned function must be called when it ends. */
  scanBegins(): () => void {
    this.#scans++;
    return () => {
      this.#scans--;
      this.#scanEndedAt = performance.now();
    };
  }

  /** Schedules work for a table; ignored if the table is already waiting. */
  add(key: ResidentTableKey, work: 'build' | 'change'): void {
    if (this.#timers.has(key)) return;
    if (work === 'change') {
      this.#timers.set(
        key,
        startTimer(() => this.#due(key), CHANGE_DELAY_MS),
      );
      return;
    }
    const latest = performance.now() + BUILD_DELAY_MS;
    const startInPause = () => {
      const pausedMs = this.#scans > 0 ? 0 : performance.now() - this.#scanEndedAt;
      if (pausedMs >= BUILD_PAUSE_MS || performance.now() >= latest) this.#due(key);
      else this.#timers.set(key, startTimer(startInPause, BUILD_PAUSE_MS - pausedMs));
    };
    this.#timers.set(key, startTimer(startInPause, BUILD_PAUSE_MS));
  }

  /** Starts all waiting work. */
  flush(): void {
    for (const [key, timer] of [...this.#timers]) {
      timer.clear();
      this.#due(key);
    }
  }

  clear(): void {
    for (const timer of this.#timers.values()) timer.clear();
    this.#timers.clear();
  }

  #due(key: ResidentTableKey): void {
    this.#timers.delete(key);
    this.#start(key);
  }
}
