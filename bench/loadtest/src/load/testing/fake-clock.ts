import { setImmediate as macrotask } from 'node:timers/promises';
import type { Clock } from '../clock.ts';

interface Waiting {
  readonly time: number;
  readonly resolve: () => void;
}

/** A clock that only advances when somebody waits for it. */
export class FakeClock implements Clock {
  #now = 0;
  readonly #waiting: Waiting[] = [];

  now(): number {
    return this.#now;
  }

  until(time: number): Promise<void> {
    if (time <= this.#now) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ time, resolve }));
  }

  /** Advances from one awaited time to the next until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const ended = work.finally(() => {
      isDone = true;
    });
    ended.catch(() => undefined);
    for (;;) {
      await macrotask();
      if (isDone) return ended;
      const time = Math.min(...this.#waiting.map((one) => one.time));
      if (time === Number.POSITIVE_INFINITY)
        throw new Error('Nobody waits for a time, and the work is not done');
      this.#now = time;
      for (const one of this.#waiting.filter((w) => w.time <= time)) {
        this.#waiting.splice(this.#waiting.indexOf(one), 1);
        one.resolve();
      }
    }
  }
}
