import { Random } from '../generate/random.ts';
import type { Value } from '../generate/source.ts';
import { EPOCH_KEY, saleDay } from './calendar.ts';
import { pageOnDay } from './lists.ts';
import { type Buyer, buyer, buyerColumns, eachLine, hourWeights, type Line, timeOfDay } from './order.ts';
import { CALL_CENTERS_START } from './outlets.ts';
import { sentPriceColumns } from './pricing.ts';
import { keyOnDay, thingsIn } from './revisions.ts';
import type { RowCounts } from './row-counts.ts';

const SALT = 0xa1;
const LINES = [4, 14] as const;
const MOST_MARKUP = 2;
const HOURS = hourWeights(
  0,
  [8, 14, 15, 14, 20, 21, 22, 30, 30, 37, 34, 36, 50, 35, 19, 31, 35, 41, 49, 59, 48, 35, 24, 8],
);
const SHIPPED_AFTER_DAYS = [2, 90] as const;
const RETURNED_AFTER_DAYS = [4, 180] as const;
/** The fraction of orders that are sent to somebody else. */
const GIFT_SHARE = 0.1;
/** The fraction of returns that the recipient sends back. */
const SAME_RETURNER_SHARE = 0.1;

const random = new Random();

/** Rows of `catalog_sales`. @param order from 0 */
export function catalogSales(order: number, counts: RowCounts, emit: (row: readonly Value[]) => void): void {
  eachCatalogLine(order, counts, (sale, line) => {
    const { bill, ship } = sale;
    emit([
      sale.day,
      sale.time,
      sale.shipDay,
      ...buyerColumns(bill),
      ...buyerColumns(ship),
      sale.callCenter,
      sale.page,
      sale.shipMode,
      sale.warehouse,
      line.item,
      line.promotion,
      order + 1,
      ...sentPriceColumns(line.price),
    ]);
  });
}

/** Rows of `catalog_returns`. */
export function catalogReturns(
  order: number,
  counts: RowCounts,
  emit: (row: readonly Value[]) => void,
): void {
  eachCatalogLine(order, counts, (sale, { item, random, returned }) => {
    if (returned === undefined) return;
    const { bill } = sale;
    const other = buyer(random, counts);
    const returner = random.chance(SAME_RETURNER_SHARE) ? sale.ship : other;
    emit([
      sale.shipDay + random.integer(...RETURNED_AFTER_DAYS),
      random.integer(0, 86_399),
      item,
      ...buyerColumns(bill),
      ...buyerColumns(returner),
      sale.callCenter,
      sale.page,
      random.integer(1, counts.ship_mode),
      random.integer(1, counts.warehouse),
      random.integer(1, counts.reason),
      order + 1,
      ...returned,
    ]);
  });
}

interface CatalogSale {
  readonly day: number;
  readonly time: number;
  readonly shipDay: number;
  readonly bill: Buyer;
  readonly ship: Buyer;
  readonly callCenter: number;
  readonly page: number;
  readonly shipMode: number;
  readonly warehouse: number;
}

/** Orders are numbered in the order of time. */
function eachCatalogLine(
  order: number,
  counts: RowCounts,
  visit: (sale: CatalogSale, line: Line) => void,
): void {
  random.sow(SALT, order);
  const day = saleDay((order + random.fraction()) / counts.catalog_orders);
  const time = timeOfDay(HOURS, random);
  const bill = buyer(random, counts);
  const ship = random.chance(GIFT_SHARE) ? buyer(random, counts) : bill;
  const center = random.integer(0, thingsIn(counts.call_center) - 1);
  const callCenter = keyOnDay(center, day - EPOCH_KEY, {
    start: CALL_CENTERS_START,
    rows: counts.call_center,
  });
  const options = { salt: SALT + 1, order, lines: LINES, mostMarkup: MOST_MARKUP, day };
  eachLine(random, counts, options, (line) => {
    const sale: CatalogSale = {
      day,
      time,
      shipDay: day + line.random.integer(...SHIPPED_AFTER_DAYS),
      bill,
      ship,
      callCenter,
      page: pageOnDay(day, counts, line.random),
      shipMode: line.random.integer(1, counts.ship_mode),
      warehouse: line.random.integer(1, counts.warehouse),
    };
    visit(sale, line);
  });
}
