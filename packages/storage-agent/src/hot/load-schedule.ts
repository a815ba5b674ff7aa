import { startTimer, type Timer } from '@tessera/common';
import type { ResidentTableKey } from './resident-table.ts';

/**
 * A build waits until no scan has run for this long, because further scans may want more columns. The wait is
 * bounded.
 */
const BUILD_PAUSE_MS = 200;
const BUILD_DELAY_MS = 10_000;
/**
 * A change is small and waits for the scan that requested it, but a table that changes all the time would take much time of
 * the kernel: so changes are apart by a multiple of what the last one took, and each brings in all commits until then. They
 * are never far apart, because statements read what is missing from files and exclude deleted rows one by one.
 */
const CHANGE_DELAY_MS = 20;
const CHANGE_REST = 4;
const MAX_CHANGE_DELAY_MS = 100;
/**
 * The delay of a change that no scan needs. The next scan of the whole table reads at most the changes of this time in addition to the
 * resident table.
 */
const UNHURRIED_CHANGE_DELAY_MS = 1_000;

interface Waiting {
  readonly timer: Timer;
  readonly dueAt: number;
}

/** Decides when a resident table is built or changed, so that loading does not delay scans. */
export class LoadSchedule {
  readonly #start: (key: ResidentTableKey) => void;
  readonly #waiting = new Map<ResidentTableKey, Waiting>();
  #scans = 0;
  #scanEndedAt = 0;

  constructor(start: (key: ResidentTableKey) => void) {
    this.#start = start;
  }

  /** The number of waiting tables. */
  get size(): number {
    return this.#waiting.size;
  }

  /** The milliseconds since the last scan ended; 0 while one runs. */
  get pausedMs(): number {
    return this.#scans > 0 ? 0 : performance.now() - this.#scanEndedAt;
  }

  /** Registers a running scan; the returned function must be called when it ends. */
  scanBegins(): () => void {
    this.#scans++;
    return () => {
      this.#scans--;
      this.#scanEndedAt = performance.now();
    };
  }

  /**
   * Schedules a change of a table, or brings forward one that is waiting.
   * @param lastMs the time that its last change took
   * @param isPressing whether scans are slower without it
   */
  addChange(key: ResidentTableKey, lastMs: number, isPressing: boolean): void {
    const soonMs = Math.min(MAX_CHANGE_DELAY_MS, Math.max(CHANGE_DELAY_MS, CHANGE_REST * lastMs));
    const delayMs = isPressing ? soonMs : UNHURRIED_CHANGE_DELAY_MS;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined && waiting.dueAt <= performance.now() + delayMs) return;
    waiting?.timer.clear();
    this.#wait(key, delayMs, () => this.#due(key));
  }

  /** Schedules the build of a table; ignored if the table is already waiting. */
  addBuild(key: ResidentTableKey): void {
    if (this.#waiting.has(key)) return;
    const latest = performance.now() + BUILD_DELAY_MS;
    const startInPause = () => {
      const { pausedMs } = this;
      if (pausedMs >= BUILD_PAUSE_MS || performance.now() >= latest) this.#due(key);
      else this.#wait(key, BUILD_PAUSE_MS - pausedMs, startInPause);
    };
    this.#wait(key, BUILD_PAUSE_MS, startInPause);
  }

  #wait(key: ResidentTableKey, delayMs: number, then: () => void): void {
    this.#waiting.set(key, { timer: startTimer(then, delayMs), dueAt: performance.now() + delayMs });
  }

  /** Starts all waiting work. */
  flush(): void {
    for (const [key, { timer }] of [...this.#waiting]) {
      timer.clear();
      this.#due(key);
    }
  }

  clear(): void {
    for (const { timer } of this.#waiting.values()) timer.clear();
    this.#waiting.clear();
  }

  #due(key: ResidentTableKey): void {
    this.#waiting.delete(key);
    this.#start(key);
  }
}
