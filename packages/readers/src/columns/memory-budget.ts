import { DecodeError } from './column-batch.ts';

/** A batch would take more memory than a reader has. With fewer rows it may fit. */
export class MemoryBudgetError extends DecodeError {}

/**
 * Counts the bytes that columns allocate, so that a small file cannot unfold to more memory than the engine gives one
 * reader (an array of NULL structs takes a byte each in the file, and a slot in every field here).
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
