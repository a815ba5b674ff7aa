import { SeededRandom } from '@tessera/common';

/** Records the state of each batch after the acknowledged writes. Readers must find exactly this state. */
export class Batches {
  /** Batches that were written and that nobody is deleting; the most recent is last. */
  readonly #there: number[];
  readonly #random: SeededRandom;
  #next: number;
  /** The numbers of INSERTs that were sent and answered. */
  #insertsSent = 0;
  #inserted = 0;
  #deletesSent = 0;
  #deleted = 0;
  readonly #before: number;

  /** @param before the number of batches, counted from 1, that exist already */
  constructor(before: number, seed: number) {
    this.#before = before;
    this.#there = Array.from({ length: before }, (_, n) => n + 1);
    this.#next = before + 1;
    this.#random = new SeededRandom(seed);
  }

  /** Returns an unused number. */
  insertBegins(): number {
    this.#insertsSent++;
    return this.#next++;
  }

  insertEnds(batch: number): void {
    this.#inserted++;
    this.#there.push(batch);
  }

  /** Records an INSERT without effect. */
  insertFails(): void {
    this.#insertsSent--;
  }

  /** A random existing batch; every other time the most recent one. */
  any(): number {
    const place =
      this.#random.fraction() < 0.5
        ? this.#there.length - 1
        : this.#random.between(0, this.#there.length - 1);
    return this.#there[place]!;
  }

  /** The oldest batch, which is not given to anyone else from here on. */
  deleteBegins(): number {
    this.#deletesSent++;
    return this.#there.shift()!;
  }

  deleteEnds(): void {
    this.#deleted++;
  }

  deleteFails(batch: number): void {
    this.#deletesSent--;
    this.#there.unshift(batch);
  }

  isThere(batch: number): boolean {
    return this.#there.includes(batch);
  }

  /**
   * Must be called before a query, and the result after it: returns how many batches the query may have
   * found.
   */
  bounds(): () => { readonly least: number; readonly most: number } {
    const [inserted, deleted] = [this.#inserted, this.#deleted];
    return () => ({
      least: this.#before + inserted - this.#deletesSent,
      most: this.#before + this.#insertsSent - deleted,
    });
  }
}
