import { TesseraError } from './errors.ts';

interface Savepoint<T> {
  readonly name: string;
  readonly state: T;
}

/**
 * The savepoints of one transaction, each with the state to which it rolls back. A newer savepoint hides an
 * older one of the same name.
 */
export class Savepoints<T> {
  /** Ordered by age, the newest last. */
  readonly #stack: Savepoint<T>[] = [];

  add(name: string, state: T): void {
    this.#stack.push({ name, state });
  }

  /** Removes the savepoint and all newer ones. @throws TesseraError UNDEFINED_SAVEPOINT */
  release(name: string): void {
    this.#stack.length = this.#indexOf(name);
  }

  /**
   * Returns the state of the savepoint, which remains, and removes newer ones. @throws TesseraError
   * UNDEFINED_SAVEPOINT
   */
  backTo(name: string): T {
    const index = this.#indexOf(name);
    this.#stack.length = index + 1;
    return this.#stack[index]!.state;
  }

  #indexOf(name: string): number {
    const index = this.#stack.findLastIndex((savepoint) => savepoint.name === name);
    if (index < 0) throw TesseraError.of('UNDEFINED_SAVEPOINT', { name });
    return index;
  }
}
