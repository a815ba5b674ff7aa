/**
 * Calls `work` for every item, `atOnce` at a time, and returns the results in the order of the items. After a
 * failure no further call begins.
 */
export async function mapInTurns<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (!failed && next < items.length) {
      const index = next++;
      try {
        results[index] = await work(items[index]!, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  const failure = ended.find((one) => one.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return results;
}
