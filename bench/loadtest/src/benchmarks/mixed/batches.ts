import { SeededRandom } from '@tessera/common';

/** What writers have done to batches, as far as they know: what readers must find. */
export class Batches {
  /** Written, and nobody is about to delete them; the last written is the last. */
  readonly #there: number[];
  readonly #random: SeededRandom;
  #next: number;
  /** INSERTs that were sent, and that were answered. */
  #insertsSent = 0;
  #inserted = 0;
  #deletesSent = 0;
  #deleted = 0;
  readonly #before: number;

  /** @param before batches from 1 on that are there already */
  constructor(before: number, seed: number) {
    this.#before = before;
    this.#there = Array.from({ length: before }, (_, n) => n + 1);
    this.#next = before + 1;
    this.#random = new SeededRandom(seed);
  }

  /** A number that is not taken. */
  insertBegins(): number {
    this.#insertsSent++;
    return this.#next++;
  }

  insertEnds(batch: number): void {
    this.#inserted++;
    this.#there.push(batch);
  }

  /** Without effect. */
  insertFails(): void {
    this.#insertsSent--;
  }

  /** Any of those that are there; every other time the one that was written last. */
  any(): number {
    const place =
      this.#random.fraction() < 0.5
        ? this.#there.length - 1
        : this.#random.between(0, this.#there.length - 1);
    return this.#there[place]!;
  }

  /** The oldest one, which nobody else is given from here on. */
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

  /** To be asked before a query and after it: how many batches it may have found. */
  bounds(): () => { readonly least: number; readonly most: number } {
    const [inserted, deleted] = [this.#inserted, this.#deleted];
    return () => ({
      least: this.#before + inserted - this.#deletesSent,
      most: this.#before + this.#insertsSent - deleted,
    });
  }
}
