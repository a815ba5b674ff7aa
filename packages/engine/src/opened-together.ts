interface Closable {
  close(): Promise<unknown>;
}

/**
 * Waits for all of them and fails with the first failure; `resources` closes those that opened, so that
 * nothing stays open.
 */
export async function openedTogether<T extends readonly Closable[]>(
  resources: AsyncDisposableStack,
  opening: { readonly [K in keyof T]: Promise<T[K]> },
): Promise<T> {
  const settled = await Promise.allSettled<Closable>(opening);
  for (const one of settled)
    if (one.status === 'fulfilled') resources.defer(async () => void (await one.value.close()));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<Closable>).value) as unknown as T;
}
