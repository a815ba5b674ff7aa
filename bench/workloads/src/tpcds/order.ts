import { Random } from '../generate/random.ts';
import { WeightedItems } from '../generate/weighted.ts';
import { EPOCH_KEY } from './calendar.ts';
import { FIRST_ITEMS_DAY } from './items.ts';
import { type Price, priceOf, returnOf } from './pricing.ts';
import { keyOnDay, thingsIn } from './revisions.ts';
import type { RowCounts } from './row-counts.ts';

const RETURN_SHARE = 0.1;

/** Who buys, as the sale says it, whatever the customer's own row says. */
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

/** As the columns of a sale or a return have them. */
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
  /** Gives what is the line's own beside these. */
  readonly random: Random;
  /** Of what comes back; undefined where nothing does. */
  readonly returned: readonly number[] | undefined;
}

export interface LineOptions {
  /** Of the order, to make its lines the same wherever they are made. */
  readonly salt: number;
  readonly order: number;
  readonly lines: readonly [least: number, most: number];
  readonly mostMarkup: number;
  /** Key of the day of the sale. */
  readonly day: number;
}

/** Calls `visit` for each line: things that are in it once. What `visit` draws of the line's random does not matter to others. */
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

/** A second of the day; hours have their weights. */
export function timeOfDay(hours: WeightedItems<number>, random: Random): number {
  return hours.pick(random) * 3600 + random.integer(0, 3599);
}

/** Of the hours from `first` on. */
export const hourWeights = (first: number, weights: readonly number[]): WeightedItems<number> =>
  new WeightedItems(weights.map((weight, place) => [first + place, weight] as const));
