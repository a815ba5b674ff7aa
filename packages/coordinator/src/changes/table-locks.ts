import type { ObjectId } from '@tessera/catalog';

/**
 * Serialises statements of this node that change rows of the same table: if they ran concurrently, all but
 * one would conflict and have to be repeated.
 */
export class TableLocks {
  readonly #last = new Map<ObjectId, Promise<unknown>>();

  /**
   * Waits until the table is free, runs `work`, and frees the table. The wait ends early with the signal's
   * reason.
   */
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
