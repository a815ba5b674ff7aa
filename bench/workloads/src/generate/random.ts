const GOLDEN = 0x9e3779b9;
const TWO_32 = 0x1_0000_0000;

/** Random numbers that are a function of the last seed: 64 bits of it, so that rows do not overlap. */
export class Random {
  #counter = 0;
  #key = 0;

  /** @param number an integer up to 2^53 */
  sow(salt: number, number: number): this {
    const low = number >>> 0;
    const high = Math.floor(number / TWO_32) >>> 0;
    this.#counter = mix32(low ^ mix32(high + salt));
    this.#key = mix32(this.#counter + Math.imul(salt, GOLDEN) + 1);
    return this;
  }

  /** An integer from 0 to 2^32 - 1. */
  uint32(): number {
    this.#counter = (this.#counter + GOLDEN) | 0;
    return mix32(mix32(this.#counter) ^ this.#key);
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  fraction(): number {
    return this.uint32() / TWO_32;
  }

  /** An integer from `least` to `most`, both inclusive. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** A positive 64-bit integer. */
  int64(): bigint {
    const high = this.uint32() >>> 1;
    return (BigInt(high) << 32n) | BigInt(this.uint32());
  }
}

/** A permutation of 0 to 2^32 - 1. */
export function mix32(number: number): number {
  let mixed = number | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
