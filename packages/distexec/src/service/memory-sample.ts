import type { MemoryUse } from '@tessera/kernel';

/** However often it is asked for. */
const MIN_AGE_MS = 1_000;

/** What the kernel uses, without waiting for it: a kernel that is busy or starts anew must not make its node look dead. */
export class MemorySample {
  readonly #read: () => Promise<MemoryUse>;
  #latest: Pick<MemoryUse, 'usedBytes' | 'limitBytes'> = { usedBytes: 0, limitBytes: 0 };
  #isReading = false;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(read: () => Promise<MemoryUse>) {
    this.#read = read;
    void this.#refresh();
  }

  /** As of about a second ago, or the call before; zeros before the first answer. */
  latest(): Pick<MemoryUse, 'usedBytes' | 'limitBytes'> {
    void this.#refresh();
    return this.#latest;
  }

  async #refresh(): Promise<void> {
    const now = performance.now();
    if (this.#isReading || now - this.#readAtMs < MIN_AGE_MS) return;
    this.#isReading = true;
    this.#readAtMs = now;
    try {
      this.#latest = await this.#read();
    } catch {
      // There is no kernel at the moment; the next ping asks again.
    } finally {
      this.#isReading = false;
    }
  }
}
