import type { ObjectId } from '@tessera/catalog';

/** The sequence values that a client's session got: the results of `currval` and `lastval`. */
export class SessionValues {
  readonly #values = new Map<ObjectId, bigint>();
  #last: bigint | undefined;

  get last(): bigint | undefined {
    return this.#last;
  }

  of(sequence: ObjectId): bigint | undefined {
    return this.#values.get(sequence);
  }

  add(sequence: ObjectId, value: bigint): void {
    this.#values.set(sequence, value);
    this.#last = value;
  }

  clear(): void {
    this.#values.clear();
    this.#last = undefined;
  }
}
