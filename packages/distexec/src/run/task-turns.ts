import { cancellation } from '@tessera/common';

interface Waiting {
  readonly alone: boolean;
  start(): void;
}

/**
 * Limits how many tasks run concurrently on a node, first come, first served. A task that must run alone
 * waits for those before it and holds back those behind it. A running task never waits for the output of
 * another one, so some task always finishes.
 */
export class TaskTurns {
  readonly #limit: number;
  readonly #isCrowded: () => boolean;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #isAlone = false;

  /** @param isCrowded whether another task should wait until a running one has ended */
  constructor(limit: number, isCrowded: () => boolean = () => false) {
    this.#limit = limit;
    this.#isCrowded = isCrowded;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Waits for a slot and resolves with the function that frees it.
   * @throws TesseraError QUERY_CANCELLED if the signal aborts first
   */
  take(alone: boolean, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.reject(cancellation(signal));
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        alone,
        start: () => {
          signal.removeEventListener('abort', giveUp);
          resolve(this.#ender(alone));
        },
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(cancellation(signal));
        this.#next();
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(waiting);
      this.#next();
    });
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#running > 0 && (first.alone || !this.#hasRoom())) return;
      this.#waiting.shift();
      this.#running++;
      this.#isAlone = first.alone;
      first.start();
    }
  }

  /** Whether another task may run in addition to the running ones. */
  #hasRoom(): boolean {
    return !this.#isAlone && this.#running < this.#limit && !this.#isCrowded();
  }

  #ender(alone: boolean): () => void {
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#running--;
      if (alone) this.#isAlone = false;
      this.#next();
    };
  }
}
