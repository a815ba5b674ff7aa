import type { Random } from './random.ts';

/**
 * Chooses positions of a list with frequencies proportional to their weights. It only uses sums and
 * divisions, so the result is the same on every machine.
 */
export class Weighted {
  readonly #sums: Float64Array;

  constructor(weights: ArrayLike<number>) {
    this.#sums = new Float64Array(weights.length);
    let sum = 0;
    for (let place = 0; place < weights.length; place++) {
      sum += weights[place]!;
      this.#sums[place] = sum;
    }
  }

  /** Zipf's law with exponent 1: the second item is half as frequent as the first. */
  static zipf(count: number): Weighted {
    return new Weighted(Float64Array.from({ length: count }, (_, place) => 1 / (place + 1)));
  }

  pick(random: Random): number {
    return this.at(random.fraction());
  }

  /** @param fraction from 0 (inclusive) to 1 (exclusive) */
  at(fraction: number): number {
    const sums = this.#sums;
    const sought = fraction * sums[sums.length - 1]!;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle]! > sought) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Chooses among items, each with its weight. */
export class WeightedItems<Item> {
  readonly #items: readonly Item[];
  readonly #places: Weighted;

  constructor(items: readonly (readonly [Item, number])[]) {
    this.#items = items.map(([item]) => item);
    this.#places = new Weighted(items.map(([, weight]) => weight));
  }

  pick(random: Random): Item {
    return this.#items[this.#places.pick(random)]!;
  }
}
