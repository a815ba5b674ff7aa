import { Random } from '../generate/random.ts';
import type { Value } from '../generate/source.ts';
import { EPOCH_KEY, saleDay } from './calendar.ts';
import { buyer, buyerColumns, eachLine, hourWeights, type Line, timeOfDay } from './order.ts';
import { STORES_START } from './outlets.ts';
import { keyOnDay, thingsIn } from './revisions.ts';
import type { RowCounts } from './row-counts.ts';

const SALT = 0x91;
const LINES = [8, 16] as const;
const MOST_MARKUP = 1;
const HOURS = hourWeights(8, [11, 22, 33, 19, 22, 25, 33, 11, 11, 33, 22, 22, 11]);
const RETURN_TIMES = [28_799, 61_199] as const;
const RETURNED_AFTER_DAYS = [4, 180] as const;
/** The fraction of returns that the buyer brings back. */
const SAME_CUSTOMER_SHARE = 0.8;

const random = new Random();

/** Rows of `store_sales`. @param order from 0 */
export function storeSales(order: number, counts: RowCounts, emit: (row: readonly Value[]) => void): void {
  eachTicketLine(order, counts, (ticket, line) => {
    const { price } = line;
    emit([
      ticket.day,
      ticket.time,
      line.item,
      ...buyerColumns(ticket.buyer),
      ticket.store,
      line.promotion,
      order + 1,
      price.quantity,
      price.wholesaleCost,
      price.listPrice,
      price.salesPrice,
      // The discount of stores is the coupon.
      price.coupon,
      price.extSalesPrice,
      price.extWholesaleCost,
      price.extListPrice,
      price.extTax,
      price.coupon,
      price.netPaid,
      price.netPaidIncTax,
      price.netProfit,
    ]);
  });
}

/** Rows of `store_returns`. */
export function storeReturns(order: number, counts: RowCounts, emit: (row: readonly Value[]) => void): void {
  eachTicketLine(order, counts, (ticket, { item, random, returned }) => {
    if (returned === undefined) return;
    const other = buyer(random, counts);
    const [quantity, ...money] = returned;
    emit([
      ticket.day + random.integer(...RETURNED_AFTER_DAYS),
      random.integer(...RETURN_TIMES),
      item,
      random.chance(SAME_CUSTOMER_SHARE) ? ticket.buyer.customer : other.customer,
      other.demographics,
      other.household,
      other.address,
      ticket.store,
      random.integer(1, counts.reason),
      order + 1,
      quantity!,
      ...money,
    ]);
  });
}

interface Ticket {
  readonly day: number;
  readonly time: number;
  readonly store: number;
  readonly buyer: ReturnType<typeof buyer>;
}

function eachTicketLine(order: number, counts: RowCounts, visit: (ticket: Ticket, line: Line) => void): void {
  random.sow(SALT, order);
  const day = saleDay(random.fraction());
  const store = random.integer(0, thingsIn(counts.store) - 1);
  const ticket: Ticket = {
    day,
    time: timeOfDay(HOURS, random),
    store: keyOnDay(store, day - EPOCH_KEY, { start: STORES_START, rows: counts.store }),
    buyer: buyer(random, counts),
  };
  const options = { salt: SALT + 1, order, lines: LINES, mostMarkup: MOST_MARKUP, day };
  eachLine(random, counts, options, (line) => visit(ticket, line));
}
