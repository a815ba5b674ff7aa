const MODULUS = 2_147_483_647;
const MULTIPLIER = 16_807;

/** The most that {@link RandomStream.integer} is asked for: the generator's own overflow makes it negative. */
const MAX_INT = 2_147_483_647;

/**
 * One stream of the generator's random numbers (Park and Miller's). Each row has the same count of numbers at its
 * disposal, used or not, so that the numbers of any row can be found without those before it.
 */
export class RandomStream {
  #seed: number;

  /** @param seed of row 0 */
  constructor(seed: number, numbersPerRow: number, row: number) {
    this.#seed = multiply(seed, power(numbersPerRow * row));
  }

  /** From `least` to `greatest`, both among them. */
  integer(least: number, greatest: number): number {
    return least + Math.trunc((this.next() / MODULUS) * (greatest - least + 1));
  }

  /** A number whose bits are characters: from -2^31 to 0, because the range overflows in the original. */
  bits(): number {
    return Math.trunc((this.next() / MODULUS) * -(MAX_INT + 1));
  }

  /** Leaves numbers out. */
  skip(count: number): void {
    for (let i = 0; i < count; i++) this.next();
  }

  /** From 1 to 2^31 - 2. */
  next(): number {
    const seed = this.#seed;
    // seed * MULTIPLIER has 46 bits: folded at bit 31, since 2^31 is 1 modulo MODULUS. Then the same with the sum's bit 31.
    const high = MULTIPLIER * (seed >>> 16);
    const sum = (MULTIPLIER * (seed & 0xffff) + ((high & 0x7fff) << 16) + (high >>> 15)) | 0;
    this.#seed = (sum & MODULUS) + (sum >>> 31);
    return this.#seed;
  }
}

/** MULTIPLIER to the power of `count`, modulo MODULUS. */
function power(count: number): number {
  let result = 1;
  let square = MULTIPLIER;
  for (let rest = count; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiply(result, square);
    square = multiply(square, square);
  }
  return result;
}

/** Modulo MODULUS: no step goes beyond 2^53. */
function multiply(a: number, b: number): number {
  const high = (Math.floor(a / 0x1_0000) * b) % MODULUS;
  return (high * 0x1_0000 + (a % 0x1_0000) * b) % MODULUS;
}
