import type { ObjectId } from '@tessera/catalog';

/** The values that a client's session got from sequences: what `currval` and `lastval` give. */
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
