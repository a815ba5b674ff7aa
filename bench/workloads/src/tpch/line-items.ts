import { comments } from './comments.ts';
import { INSTRUCTIONS, MODES } from './distributions.ts';
import {
  inThePast,
  lineCounts,
  lineNumbers,
  MOST_LINES,
  orderDates,
  orderKeys,
  partKeys,
  STREAM,
  totalOf,
} from './lines.ts';
import { retailPrice, supplierOf } from './parts.ts';
import { RandomStream } from './random-stream.ts';
import type { RowMaker, RowRange } from './row-maker.ts';

const RETURN_FLAGS = ['R', 'A', 'N'];
const NOT_RECEIVED = 2;
const STATUSES = ['F', 'O'];

/** The range counts orders. */
export const makeLineItems: RowMaker = (making, range) => {
  const counts = lineCounts(range);
  const rows = totalOf(counts);
  const perLine = spread(counts, rows);
  const of = (stream: Parameters<typeof lineNumbers>[2]): Int32Array<ArrayBuffer> =>
    lineNumbers(range, counts, stream);
  const parts = partKeys(making, range, counts);
  const quantities = of(STREAM.quantity);
  const dates = perLine(orderDates(range));
  const shipDates = of(STREAM.shipDays).map((days, line) => days + dates[line]!);
  const receiptDates = of(STREAM.receiptDays).map((days, line) => days + shipDates[line]!);
  const supplierNumbers = of(STREAM.supplier);
  return [
    { type: 'bigint', values: perLine(orderKeys(range)) },
    { type: 'bigint', values: parts },
    {
      type: 'bigint',
      values: parts.map((part, line) => supplierOf(part, supplierNumbers[line]!, making.counts.supplier)),
    },
    { type: 'bigint', values: lineNumbersOf(counts, rows) },
    { type: 'decimal', values: quantities.map((quantity) => quantity * 100) },
    { type: 'decimal', values: parts.map((part, line) => retailPrice(part) * quantities[line]!) },
    { type: 'decimal', values: of(STREAM.discount) },
    { type: 'decimal', values: of(STREAM.tax) },
    { type: 'words', words: RETURN_FLAGS, places: returnFlags(range, counts, receiptDates) },
    {
      type: 'words',
      words: STATUSES,
      places: Uint8Array.from(shipDates, (date) => (inThePast(date) ? 0 : 1)),
    },
    { type: 'date', values: shipDates },
    { type: 'date', values: of(STREAM.commitDays).map((days, line) => days + dates[line]!) },
    { type: 'date', values: receiptDates },
    { type: 'words', words: INSTRUCTIONS, places: Uint8Array.from(of(STREAM.instruction)) },
    { type: 'words', words: MODES, places: Uint8Array.from(of(STREAM.mode)) },
    comments(making, range, 1_095_462_486, 27, MOST_LINES, counts),
  ];
};

/** Repeats the value of each order for each of its lines. */
const spread =
  (counts: Uint8Array, rows: number) =>
  (values: Float64Array | Int32Array): Float64Array<ArrayBuffer> => {
    const result = new Float64Array(rows);
    let line = 0;
    for (let order = 0; order < counts.length; order++)
      for (let i = counts[order]!; i > 0; i--) result[line++] = values[order]!;
    return result;
  };

function lineNumbersOf(counts: Uint8Array, rows: number): Int32Array<ArrayBuffer> {
  const result = new Int32Array(rows);
  let line = 0;
  for (const count of counts) for (let number = 1; number <= count; number++) result[line++] = number;
  return result;
}

/** Only lines that were received consume a number of the stream. */
function returnFlags({ first }: RowRange, counts: Uint8Array, receiptDates: Int32Array): Uint8Array {
  const stream = new RandomStream(717_419_739, MOST_LINES, first);
  const places = new Uint8Array(receiptDates.length);
  let line = 0;
  for (const count of counts) {
    let used = 0;
    for (const end = line + count; line < end; line++)
      if (inThePast(receiptDates[line]!)) {
        places[line] = stream.integer(0, 1);
        used++;
      } else places[line] = NOT_RECEIVED;
    stream.skip(MOST_LINES - used);
  }
  return places;
}
