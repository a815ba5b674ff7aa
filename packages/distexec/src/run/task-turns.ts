import { cancellation } from '@tessera/common';

interface Waiting {
  readonly alone: boolean;
  start(): void;
}

/**
 * How many tasks run at the same time on a node: they take turns in the order they come. One that must run alone waits
 * for those before it and holds back those behind it. No task waits for another's output while it has its turn, so that
 * there is always one that ends.
 */
export class TaskTurns {
  readonly #limit: number;
  readonly #isCrowded: () => boolean;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #isAlone = false;

  /** @param isCrowded whether another one should rather wait until one of those that run has ended */
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
   * Resolves when it is the caller's turn, with how to end it.
   * @throws TesseraError QUERY_CANCELLED when the signal fires first
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

  /** Beside those that run. */
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
