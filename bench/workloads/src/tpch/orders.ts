import { comments } from './comments.ts';
import { PRIORITIES } from './distributions.ts';
import { inThePast, lineCounts, lineNumbers, orderDates, orderKeys, partKeys, STREAM } from './lines.ts';
import { retailPrice } from './parts.ts';
import { type Making, numbers, type RowMaker, type RowRange, tags, words } from './row-maker.ts';

/** One customer in three has no orders. */
const CUSTOMERS_WITHOUT = 3;
const STATUSES = ['F', 'O', 'P'];

export const makeOrders: RowMaker = (making, range) => {
  const dates = orderDates(range);
  const { statuses, totals } = summarizeLines(making, range, dates);
  return [
    { type: 'bigint', values: orderKeys(range) },
    { type: 'bigint', values: customers(making, range) },
    { type: 'words', words: STATUSES, places: statuses },
    { type: 'decimal', values: totals },
    { type: 'date', values: dates },
    words(range, 591_449_447, PRIORITIES),
    tags('Clerk#', numbers(range, 1_171_034_773, 1, making.counts.clerks), 9),
    { type: 'integer', values: new Int32Array(range.count) },
    comments(making, range, 276_090_261, 49),
  ];
};

function customers({ counts }: Making, range: RowRange): Int32Array {
  const values = numbers(range, 851_767_375, 1, counts.customer);
  for (let row = 0; row < values.length; row++) {
    let step = 1;
    while (values[row]! % CUSTOMERS_WITHOUT === 0) {
      values[row] = Math.min(values[row]! + step, counts.customer);
      step = -step;
    }
  }
  return values;
}

/** The columns of an order that are derived from its lines, rounded like dbgen does. */
function summarizeLines(
  making: Making,
  range: RowRange,
  dates: Int32Array,
): { statuses: Uint8Array; totals: Float64Array } {
  const counts = lineCounts(range);
  const quantities = lineNumbers(range, counts, STREAM.quantity);
  const discounts = lineNumbers(range, counts, STREAM.discount);
  const taxes = lineNumbers(range, counts, STREAM.tax);
  const parts = partKeys(making, range, counts);
  const shipDays = lineNumbers(range, counts, STREAM.shipDays);
  const statuses = new Uint8Array(range.count);
  const totals = new Float64Array(range.count);
  let line = 0;
  for (let row = 0; row < range.count; row++) {
    const lines = counts[row]!;
    let shipped = 0;
    let total = 0;
    for (const end = line + lines; line < end; line++) {
      const price = retailPrice(parts[line]!) * quantities[line]!;
      const discounted = Math.floor((price * (100 - discounts[line]!)) / 100);
      total += Math.floor((discounted * (100 + taxes[line]!)) / 100);
      if (inThePast(dates[row]! + shipDays[line]!)) shipped++;
    }
    totals[row] = total;
    statuses[row] = shipped === lines ? 0 : shipped === 0 ? 1 : 2;
  }
  return { statuses, totals };
}
