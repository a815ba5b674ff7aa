import { Random } from '../generate/random.ts';
import { WeightedItems } from '../generate/weighted.ts';
import { EPOCH_KEY } from './calendar.ts';
import { FIRST_ITEMS_DAY } from './items.ts';
import { type Price, priceOf, returnOf } from './pricing.ts';
import { keyOnDay, thingsIn } from './revisions.ts';
import type { RowCounts } from './row-counts.ts';

const RETURN_SHARE = 0.1;

/** The buyer according to the sale, which may differ from the customer's own row. */
export interface Buyer {
  readonly customer: number;
  readonly demographics: number;
  readonly household: number;
  readonly address: number;
}

export function buyer(random: Random, counts: RowCounts): Buyer {
  return {
    customer: random.integer(1, counts.customer),
    demographics: random.integer(1, counts.customer_demographics),
    household: random.integer(1, counts.household_demographics),
    address: random.integer(1, counts.customer_address),
  };
}

/** The buyer in the columns of a sale or a return. */
export const buyerColumns = ({ customer, demographics, household, address }: Buyer): readonly number[] => [
  customer,
  demographics,
  household,
  address,
];

/** One line of an order. */
export interface Line {
  readonly item: number;
  readonly promotion: number;
  readonly price: Price;
  /** Random numbers for other values of the line. */
  readonly random: Random;
  /** The random numbers of a return; undefined if nothing is returned. */
  readonly returned: readonly number[] | undefined;
}

export interface LineOptions {
  /** The seed of the order, which makes its lines the same wherever they are generated. */
  readonly salt: number;
  readonly order: number;
  readonly lines: readonly [least: number, most: number];
  readonly mostMarkup: number;
  /** The key of the day of the sale. */
  readonly day: number;
}

/**
 * Calls `visit` for each line of an order; each item occurs once. Random numbers that `visit` draws for a
 * line do not affect other lines.
 */
export function eachLine(
  order: Random,
  counts: RowCounts,
  options: LineOptions,
  visit: (line: Line) => void,
): void {
  const things = thingsIn(counts.item);
  const count = Math.min(things, order.integer(...options.lines));
  const taken = new Set<number>();
  for (let number = 0; number < count; number++) {
    const random = LINE.sow(options.salt, options.order * 32 + number);
    let thing = random.integer(0, things - 1);
    while (taken.has(thing)) thing = (thing + 1) % things;
    taken.add(thing);
    const price = priceOf(random, options.mostMarkup);
    visit({
      item: keyOnDay(thing, options.day - EPOCH_KEY, { start: FIRST_ITEMS_DAY, rows: counts.item }),
      promotion: random.integer(1, counts.promotion),
      price,
      returned: random.chance(RETURN_SHARE) ? returnOf(random, price) : undefined,
      random,
    });
  }
}

const LINE = new Random();

/** A second of the day, with weighted hours. */
export function timeOfDay(hours: WeightedItems<number>, random: Random): number {
  return hours.pick(random) * 3600 + random.integer(0, 3599);
}

/** The weights of the hours from `first` on. */
export const hourWeights = (first: number, weights: readonly number[]): WeightedItems<number> =>
  new WeightedItems(weights.map((weight, place) => [first + place, weight] as const));
