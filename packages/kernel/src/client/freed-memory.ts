/** The part of the time that may be spent on returning memory. */
const MOST_TIME = 0.05;
const LEAST_PAUSE_MS = 1_000;

/**
 * Returns the memory of this process that the C library keeps after it was freed. The library shrinks a heap only from its end,
 * where a small piece in use may be: after buffers of 4 MB had been read and exchanged for some minutes, it kept 0.8 GB.
 */
export class FreedMemory {
  #isReturning = false;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** Begins to return it, in a thread of the pool, unless that was done a moment ago. */
  return(): void {
    if (this.#isReturning || performance.now() < this.#notBefore) return;
    this.#isReturning = true;
    const startedAt = performance.now();
    const done = () => {
      const now = performance.now();
      this.#notBefore = now + Math.max(LEAST_PAUSE_MS, (now - startedAt) / MOST_TIME);
      this.#isReturning = false;
    };
    // Without the call, the memory is kept as before.
    returned().then(done, done);
  }
}

/** Resolves when it was returned. The library for native calls is loaded with the first use, because most nodes never need it. */
export async function returned(): Promise<void> {
  const { mallocTrim } = await import('../native/libc.ts');
  await new Promise<void>((resolve) =>
    mallocTrim === undefined ? resolve() : mallocTrim.async(0, () => resolve()),
  );
}
