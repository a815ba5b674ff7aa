/**
 * Merges the items of all sources; each source keeps its order. At most `limit` sources are open at a time,
 * and each is asked for its next item only after its last one was taken. Ending the iteration ends the open
 * sources.
 */
export async function* merged<T>(
  sources: readonly (() => AsyncIterable<T>)[],
  limit: number,
): AsyncGenerator<T> {
  const waiting = sources.values();
  const open = new Map<AsyncIterator<T>, Promise<Arrival<T>>>();
  const ask = (iterator: AsyncIterator<T>) => {
    const arrival = iterator.next().then((result) => ({ iterator, result }));
    // The rejection is handled when its turn comes.
    arrival.catch(() => undefined);
    open.set(iterator, arrival);
  };
  try {
    for (;;) {
      while (open.size < limit) {
        const next = waiting.next();
        if (next.done === true) break;
        ask(next.value()[Symbol.asyncIterator]());
      }
      if (open.size === 0) return;
      const { iterator, result } = await Promise.race(open.values());
      // The source goes to the end of the queue, so that no source is starved.
      open.delete(iterator);
      if (result.done === true) continue;
      ask(iterator);
      yield result.value;
    }
  } finally {
    await Promise.allSettled([...open.keys()].map((iterator) => iterator.return?.()));
  }
}

interface Arrival<T> {
  readonly iterator: AsyncIterator<T>;
  readonly result: IteratorResult<T>;
}
