/**
 * Processes all items with limited concurrency. After the first failure it starts no more items and throws
 * once the running ones have ended.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    while (failure === undefined) {
      const { value, done } = waiting.next();
      if (done === true) return;
      await work(value).catch((error: unknown) => {
        failure ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (failure !== undefined) throw failure.error;
}
