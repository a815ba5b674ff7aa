import { Random } from '../generate/random.ts';
import type { Value } from '../generate/source.ts';
import { EPOCH_KEY } from './calendar.ts';
import { FIRST_ITEMS_DAY } from './items.ts';
import { keyOnDay, thingsIn } from './revisions.ts';
import type { RowCounts } from './row-counts.ts';

const SALT = 0xc1;
const WEEKS = 261;
/** The key of 1998-01-01. */
const FIRST_DAY = 2_450_815;
const MOST_QUANTITY = 1000;

const random = new Random();

/** One row per week, warehouse and item. */
export const inventoryRows = (counts: RowCounts): number => WEEKS * counts.warehouse * thingsIn(counts.item);

/** @param place from 0: items within warehouses within weeks */
export function inventoryRow(place: number, counts: RowCounts): readonly Value[] {
  const things = thingsIn(counts.item);
  const thing = place % things;
  const warehouse = Math.floor(place / things) % counts.warehouse;
  const day = FIRST_DAY + 7 * Math.floor(place / (things * counts.warehouse));
  random.sow(SALT, place);
  return [
    day,
    keyOnDay(thing, day - EPOCH_KEY, { start: FIRST_ITEMS_DAY, rows: counts.item }),
    warehouse + 1,
    random.integer(0, MOST_QUANTITY),
  ];
}
