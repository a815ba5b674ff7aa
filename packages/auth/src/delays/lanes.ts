import { TesseraError } from '@tessera/common';

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/** Lets few at once through under each key; the others wait in their order. Holds nothing of keys under which nobody is. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #width: number;
  readonly #maxWaiting: number;

  constructor(width: number, maxWaiting: number) {
    this.#width = width;
    this.#maxWaiting = maxWaiting;
  }

  /** @throws TesseraError TOO_MANY_LOGINS when too many wait already */
  async through<T>(key: string, run: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: [] };
    this.#lanes.set(key, lane);
    if (lane.running < this.#width) lane.running++;
    else if (lane.waiting.length >= this.#maxWaiting) throw TesseraError.of('TOO_MANY_LOGINS', {});
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = lane.waiting.shift();
      // The slot passes to the next one in the queue, so `running` does not change.
      if (next) next();
      else if (--lane.running === 0) this.#lanes.delete(key);
    }
  }
}
