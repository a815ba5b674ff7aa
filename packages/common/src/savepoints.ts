import { TesseraError } from './errors.ts';

interface Savepoint<T> {
  readonly name: string;
  readonly state: T;
}

/** The savepoints of one transaction, each with the state to go back to. A newer one hides an older one of its name. */
export class Savepoints<T> {
  /** The newest last. */
  readonly #stack: Savepoint<T>[] = [];

  add(name: string, state: T): void {
    this.#stack.push({ name, state });
  }

  /** Removes the savepoint and those that are newer. @throws TesseraError UNDEFINED_SAVEPOINT */
  release(name: string): void {
    this.#stack.length = this.#indexOf(name);
  }

  /** The state of the savepoint, which stays; those that are newer are removed. @throws TesseraError UNDEFINED_SAVEPOINT */
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
