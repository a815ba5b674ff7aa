import { createHash } from 'node:crypto';
import { SeededRandom } from '@tessera/common';

/** The random choices of one seed. */
export class RandomChoice {
  readonly #random: SeededRandom;

  constructor(seed: string) {
    this.#random = new SeededRandom(createHash('sha256').update(seed).digest().readUInt32LE());
  }

  between(low: number, high: number): number {
    return this.#random.between(low, high);
  }

  chance(probability: number): boolean {
    return this.#random.fraction() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.between(0, values.length - 1)]!;
  }

  /** At least `least` of the values, in random order. */
  some<T>(values: readonly T[], least: number, most: number): T[] {
    const shuffled = [...values]
      .map((value) => ({ value, at: this.#random.fraction() }))
      .sort((a, b) => a.at - b.at);
    return shuffled.slice(0, this.between(least, Math.min(most, values.length))).map(({ value }) => value);
  }

  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.#random.fraction() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return choices.at(-1)![1];
  }
}
