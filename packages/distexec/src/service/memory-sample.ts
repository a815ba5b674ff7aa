import type { MemoryUse } from '@tessera/kernel';

/** What the kernel uses, without waiting for it: a kernel that is busy or starts anew must not make its node look dead. */
export class MemorySample {
  readonly #read: () => Promise<MemoryUse>;
  #latest: Pick<MemoryUse, 'usedBytes' | 'limitBytes'> = { usedBytes: 0, limitBytes: 0 };
  #isReading = false;

  constructor(read: () => Promise<MemoryUse>) {
    this.#read = read;
    void this.#refresh();
  }

  /** As of the call before; zeros before the first answer. */
  latest(): Pick<MemoryUse, 'usedBytes' | 'limitBytes'> {
    void this.#refresh();
    return this.#latest;
  }

  async #refresh(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      this.#latest = await this.#read();
    } catch {
      // There is no kernel at the moment; the next ping asks again.
    } finally {
      this.#isReading = false;
    }
  }
}
