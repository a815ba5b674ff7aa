/** The part of the time that may be spent on trimming. */
const MOST_TIME = 0.05;
const LEAST_PAUSE_MS = 1_000;

/**
 * Returns the memory of this process that the C library keeps after it was freed. The library shrinks a heap only from its end,
 * where a small piece in use may be: after buffers of 4 MB had been read and exchanged for some minutes, it kept 0.8 GB.
 */
export class HeapTrimmer {
  #isTrimming = false;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** Begins to trim the heap, in a thread of the pool, unless that was done a moment ago. */
  trim(): void {
    if (this.#isTrimming || performance.now() < this.#notBefore) return;
    this.#isTrimming = true;
    const startedAt = performance.now();
    const done = () => {
      const now = performance.now();
      this.#notBefore = now + Math.max(LEAST_PAUSE_MS, (now - startedAt) / MOST_TIME);
      this.#isTrimming = false;
    };
    // If the call fails, the library keeps the memory, as it did before.
    trimHeap().then(done, done);
  }
}

/** Resolves when the heap was trimmed. It loads the library for native calls when it is first called, because most nodes never need it. */
async function trimHeap(): Promise<void> {
  const { mallocTrim } = await import('../native/libc.ts');
  await new Promise<void>((resolve) =>
    mallocTrim === undefined ? resolve() : mallocTrim.async(0, () => resolve()),
  );
}
