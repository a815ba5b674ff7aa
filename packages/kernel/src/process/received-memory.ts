/** The memory that received rows of all sessions of a process use, apart from the registered memory. */
export class ReceivedMemory {
  readonly #limitBytes: number;
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Reserves memory; returns false if not enough is left. */
  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#limitBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}
