import { Random } from '../generate/random.ts';
import type { Value } from '../generate/source.ts';
import { EPOCH_KEY, saleDay } from './calendar.ts';
import { type Buyer, buyer, buyerColumns, eachLine, hourWeights, type Line, timeOfDay } from './order.ts';
import { PAGES_START, SITES_START } from './outlets.ts';
import { sentPriceColumns } from './pricing.ts';
import { keyOnDay, thingsIn } from './revisions.ts';
import type { RowCounts } from './row-counts.ts';

const SALT = 0xb1;
const LINES = [8, 16] as const;
const MOST_MARKUP = 2;
const HOURS = hourWeights(
  0,
  [8, 14, 15, 14, 20, 21, 22, 30, 30, 37, 34, 36, 50, 35, 19, 31, 35, 41, 49, 59, 48, 35, 24, 8],
);
const SHIPPED_AFTER_DAYS = [1, 120] as const;
const RETURNED_AFTER_DAYS = [2, 240] as const;
/** The fraction of orders that are sent to the payer. */
const SAME_BUYER_SHARE = 0.07;

const random = new Random();

/** Rows of `web_sales`. @param order from 0 */
export function webSales(order: number, counts: RowCounts, emit: (row: readonly Value[]) => void): void {
  eachWebLine(order, counts, (sale, line) => {
    const { bill, ship } = sale;
    emit([
      sale.day,
      sale.time,
      sale.shipDay,
      line.item,
      ...buyerColumns(bill),
      ...buyerColumns(ship),
      sale.page,
      sale.site,
      sale.shipMode,
      sale.warehouse,
      line.promotion,
      order + 1,
      ...sentPriceColumns(line.price),
    ]);
  });
}

/** Rows of `web_returns`. */
export function webReturns(order: number, counts: RowCounts, emit: (row: readonly Value[]) => void): void {
  eachWebLine(order, counts, (sale, { item, random, returned }) => {
    if (returned === undefined) return;
    const who = buyerColumns(sale.ship);
    emit([
      sale.shipDay + random.integer(...RETURNED_AFTER_DAYS),
      random.integer(0, 86_399),
      item,
      ...who,
      ...who,
      sale.page,
      random.integer(1, counts.reason),
      order + 1,
      ...returned,
    ]);
  });
}

interface WebSale {
  readonly day: number;
  readonly time: number;
  readonly shipDay: number;
  readonly bill: Buyer;
  readonly ship: Buyer;
  readonly page: number;
  readonly site: number;
  readonly shipMode: number;
  readonly warehouse: number;
}

function eachWebLine(order: number, counts: RowCounts, visit: (sale: WebSale, line: Line) => void): void {
  random.sow(SALT, order);
  const day = saleDay(random.fraction());
  const time = timeOfDay(HOURS, random);
  const bill = buyer(random, counts);
  const ship = random.chance(SAME_BUYER_SHARE) ? bill : buyer(random, counts);
  const pages = { start: PAGES_START, rows: counts.web_page };
  const sites = { start: SITES_START, rows: counts.web_site };
  const options = { salt: SALT + 1, order, lines: LINES, mostMarkup: MOST_MARKUP, day };
  eachLine(random, counts, options, (line) => {
    const page = line.random.integer(0, thingsIn(counts.web_page) - 1);
    const site = line.random.integer(0, thingsIn(counts.web_site) - 1);
    const sale: WebSale = {
      day,
      time,
      shipDay: day + line.random.integer(...SHIPPED_AFTER_DAYS),
      bill,
      ship,
      page: keyOnDay(page, day - EPOCH_KEY, pages),
      site: keyOnDay(site, day - EPOCH_KEY, sites),
      shipMode: line.random.integer(1, counts.ship_mode),
      warehouse: line.random.integer(1, counts.warehouse),
    };
    visit(sale, line);
  });
}
