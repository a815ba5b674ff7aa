/** The memory that received rows of all sessions of a process take. */
export class ReceivedMemory {
  readonly #limitBytes: number;
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** False when there is not so much left. */
  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#limitBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}
