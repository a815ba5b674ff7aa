import type { Column } from '../parquet/column.ts';
import { TextBuilder } from '../parquet/text-builder.ts';
import { comments } from './comments.ts';
import { COLORS, CONTAINERS, TYPES } from './distributions.ts';
import { RandomStream } from './random-stream.ts';
import { keys, numbers, type RowMaker, type RowRange, words } from './row-maker.ts';

const SUPPLIERS_PER_PART = 4;
const MANUFACTURERS = [1, 2, 3, 4, 5].map((number) => `Manufacturer#${number}`);
const BRANDS = [1, 2, 3, 4, 5].flatMap((m) => [1, 2, 3, 4, 5].map((number) => `Brand#${m}${number}`));

export const makeParts: RowMaker = (making, range) => {
  const parts = keys(range);
  const manufacturers = numbers(range, 1, 1, 5);
  const brands = numbers(range, 46_831_694, 1, 5);
  return [
    { type: 'bigint', values: parts },
    names(range),
    { type: 'words', words: MANUFACTURERS, places: Uint8Array.from(manufacturers, (m) => m - 1) },
    {
      type: 'words',
      words: BRANDS,
      places: Uint8Array.from(brands, (brand, row) => (manufacturers[row]! - 1) * 5 + brand - 1),
    },
    words(range, 1_841_581_359, TYPES),
    { type: 'integer', values: numbers(range, 1_193_163_244, 1, 50) },
    words(range, 727_633_698, CONTAINERS),
    { type: 'decimal', values: parts.map(retailPrice) },
    comments(making, range, 804_159_733, 14),
  ];
};

/** The price in hundredths (clause 4.2.3). */
export const retailPrice = (part: number): number =>
  90_000 + (Math.floor(part / 10) % 20_001) + (part % 1000) * 100;

/** One of the four suppliers of a part, from 0 (clause 4.2.3). */
export const supplierOf = (part: number, number: number, suppliers: number): number =>
  ((part + number * (Math.floor(suppliers / SUPPLIERS_PER_PART) + Math.floor((part - 1) / suppliers))) %
    suppliers) +
  1;

/** The range counts parts. */
export const makePartSuppliers: RowMaker = (making, range) => {
  const rows = range.count * SUPPLIERS_PER_PART;
  const { supplier } = making.counts;
  const parts = new Float64Array(rows);
  const suppliers = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    const part = range.first + Math.floor(row / SUPPLIERS_PER_PART) + 1;
    parts[row] = part;
    suppliers[row] = supplierOf(part, row % SUPPLIERS_PER_PART, supplier);
  }
  const each = { first: range.first * SUPPLIERS_PER_PART, count: rows };
  return [
    { type: 'bigint', values: parts },
    { type: 'bigint', values: suppliers },
    { type: 'bigint', values: numbers(each, 1_671_059_989, 1, 9_999) },
    { type: 'decimal', values: numbers(each, 1_051_288_424, 100, 100_000) },
    comments(making, each, 1_961_692_154, 124),
  ];
};

const NAME_WORDS = 5;

/** Five different colors: the beginning of a shuffle. */
function names({ first, count }: RowRange): Column {
  const stream = new RandomStream(709_314_158, COLORS.length, first);
  const colors = COLORS.map((color) => Buffer.from(`${color} `));
  const builder = new TextBuilder(count * 40);
  const order = new Uint8Array(COLORS.length);
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < order.length; i++) order[i] = i;
    builder.begin(NAME_WORDS * 16);
    for (let i = 0; i < NAME_WORDS; i++) {
      const other = stream.integer(i, order.length - 1);
      const color = order[other]!;
      order[other] = order[i]!;
      builder.put(colors[color]!);
    }
    builder.end--;
    builder.finish();
    stream.skip(order.length - NAME_WORDS);
  }
  return builder.column();
}
