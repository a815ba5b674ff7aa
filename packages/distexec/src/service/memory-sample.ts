import type { MemoryUse } from '@tessera/kernel';

/** The minimum time between two samples. */
const MIN_AGE_MS = 1_000;

/**
 * The kernel's memory use, available without waiting: a kernel that is busy or restarting must not make its
 * node look dead.
 */
export class MemorySample {
  readonly #read: () => Promise<MemoryUse>;
  #latest: Pick<MemoryUse, 'usedBytes' | 'limitBytes'> = { usedBytes: 0, limitBytes: 0 };
  #isReading = false;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(read: () => Promise<MemoryUse>) {
    this.#read = read;
    void this.#refresh();
  }

  /** The latest sample, about a second old, or zeros before the first one. */
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
      // There is no kernel process at the moment; the next ping samples again.
    } finally {
      this.#isReading = false;
    }
  }
}
