const MODULUS = 2_147_483_647;
const MULTIPLIER = 16_807;

/**
 * The maximum for {@link RandomStream.integer}. dbgen overflows at this bound, which makes the number negative.
 */
const MAX_INT = 2_147_483_647;

/**
 * One stream of dbgen's random numbers (Park and Miller). Each row has a fixed count of numbers, whether it
 * uses them or not, so that the numbers of any row can be computed without those before it.
 */
export class RandomStream {
  #seed: number;

  /** @param seed the seed of row 0 */
  constructor(seed: number, numbersPerRow: number, row: number) {
    this.#seed = multiply(seed, power(numbersPerRow * row));
  }

  /** An integer from `least` to `greatest`, both inclusive. */
  integer(least: number, greatest: number): number {
    return least + Math.trunc((this.next() / MODULUS) * (greatest - least + 1));
  }

  /** A number whose bits are used as characters: from -2^31 to 0, because the range overflows in dbgen. */
  bits(): number {
    return Math.trunc((this.next() / MODULUS) * -(MAX_INT + 1));
  }

  /** Skips numbers. */
  skip(count: number): void {
    for (let i = 0; i < count; i++) this.next();
  }

  /** The state, from 1 to 2^31 - 2. */
  next(): number {
    const seed = this.#seed;
    // seed * MULTIPLIER has 46 bits. It is reduced by adding its upper bits to the lower 31, since 2^31 is 1
    // modulo MODULUS, and then once more for bit 31 of the sum.
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

/** The product modulo MODULUS, computed in steps that stay below 2^53. */
function multiply(a: number, b: number): number {
  const high = (Math.floor(a / 0x1_0000) * b) % MODULUS;
  return (high * 0x1_0000 + (a % 0x1_0000) * b) % MODULUS;
}
