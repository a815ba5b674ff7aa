import { DecodeError } from './column-batch.ts';

/** A batch would need more memory than a reader may use. With fewer rows it may fit. */
export class MemoryBudgetError extends DecodeError {}

/**
 * Counts the bytes that columns allocate, so that a small file cannot expand to more memory than the engine
 * allows a reader. (An array of NULL structs occupies one byte per struct in the file, but a slot in every
 * field here.)
 */
export class MemoryBudget {
  readonly #limitBytes: number;
  #used = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  grow(bytes: number): void {
    this.#used += bytes;
    if (this.#used > this.#limitBytes) {
      throw new MemoryBudgetError(`a single row needs more than ${this.#limitBytes >> 20} MiB of memory`);
    }
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }

  reset(): void {
    this.#used = 0;
  }
}
