import type { MemoryCeiling } from './memory-ceiling.ts';

const EVERY_MS = 10;

/** A session with a call that may run. */
interface WatchedSession {
  stopForMemory(): void;
}

/**
 * Stops the running calls when the process has hardly any memory left. A query that asks for much at once fails by itself
 * at the ceiling. One that grows by small allocations, such as `mode` of distinct values, would leave nothing for those of V8 and
 * of the libraries, which end the process if they fail.
 */
export class MemoryWatch {
  readonly #ceiling: MemoryCeiling;
  readonly #sessions: ReadonlyMap<number, WatchedSession>;
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  #isReturning = false;

  constructor(ceiling: MemoryCeiling, sessions: ReadonlyMap<number, WatchedSession>) {
    this.#ceiling = ceiling;
    this.#sessions = sessions;
  }

  /** Must be called before a call begins, and `ended` after it. */
  begun(): void {
    this.#running++;
    this.#timer ??= setInterval(() => void this.#look(), EVERY_MS);
  }

  ended(): void {
    this.#running--;
    if (this.#running > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    if (this.#isReturning || !this.#ceiling.isExhausted) return;
    // The allocator may still keep memory that has been freed, which counts as used.
    this.#isReturning = true;
    await this.#ceiling.returnFreed();
    this.#isReturning = false;
    if (this.#ceiling.isExhausted) for (const session of this.#sessions.values()) session.stopForMemory();
  }
}
