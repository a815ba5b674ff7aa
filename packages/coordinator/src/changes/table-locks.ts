import type { ObjectId } from '@tessera/catalog';

/**
 * Statements of this node that change rows of the same table go one after the other: at the same time, all but one would
 * meet a conflict and do their work again.
 */
export class TableLocks {
  readonly #last = new Map<ObjectId, Promise<unknown>>();

  /** Waits until the table is free, runs `work`, and frees the table again. A wait ends early with the signal's reason. */
  async with<T>(tableId: ObjectId, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(tableId);
    const mine = Promise.withResolvers<void>();
    const turn = Promise.all([before, mine.promise]);
    this.#last.set(tableId, turn);
    try {
      if (before !== undefined) await Promise.race([before, aborted(signal)]);
      signal.throwIfAborted();
      return await work();
    } finally {
      mine.resolve();
      if (this.#last.get(tableId) === turn) this.#last.delete(tableId);
    }
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
