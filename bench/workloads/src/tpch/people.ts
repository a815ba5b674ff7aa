import type { Column } from '../parquet/column.ts';
import { TextBuilder } from '../parquet/text-builder.ts';
import { comments } from './comments.ts';
import { NATIONS, REGIONS, SEGMENTS } from './distributions.ts';
import { RandomStream } from './random-stream.ts';
import { keys, lengthsAbout, numbers, type RowMaker, type RowRange, tags, words } from './row-maker.ts';
import { withRemarks } from './supplier-remarks.ts';

const [LEAST_BALANCE, GREATEST_BALANCE] = [-99_999, 999_999];

export const makeRegions: RowMaker = (making, range) => [
  { type: 'integer', values: Int32Array.from(REGIONS.keys()) },
  { type: 'words', words: REGIONS, places: Uint8Array.from(REGIONS.keys()) },
  comments(making, range, 1_500_869_201, 72),
];

export const makeNations: RowMaker = (making, range) => [
  { type: 'integer', values: Int32Array.from(NATIONS.keys()) },
  { type: 'words', words: NATIONS.map(([name]) => name), places: Uint8Array.from(NATIONS.keys()) },
  { type: 'integer', values: Int32Array.from(NATIONS, ([, region]) => region) },
  comments(making, range, 606_179_079, 72),
];

export const makeSuppliers: RowMaker = (making, range) => {
  const suppliers = keys(range);
  const nations = numbers(range, 110_356_601, 0, NATIONS.length - 1);
  return [
    { type: 'bigint', values: suppliers },
    tags('Supplier#', suppliers, 9),
    addresses(range, 706_178_559),
    { type: 'integer', values: nations },
    phones(range, 884_434_366, nations),
    { type: 'decimal', values: numbers(range, 962_338_209, LEAST_BALANCE, GREATEST_BALANCE) },
    withRemarks(comments(making, range, 1_341_315_363, 63), range),
  ];
};

export const makeCustomers: RowMaker = (making, range) => {
  const customers = keys(range);
  const nations = numbers(range, 1_489_529_863, 0, NATIONS.length - 1);
  return [
    { type: 'bigint', values: customers },
    tags('Customer#', customers, 9),
    addresses(range, 881_155_353),
    { type: 'integer', values: nations },
    phones(range, 1_521_138_112, nations),
    { type: 'decimal', values: numbers(range, 298_370_230, LEAST_BALANCE, GREATEST_BALANCE) },
    words(range, 1_140_279_430, SEGMENTS),
    comments(making, range, 1_335_826_707, 73),
  ];
};

const CHARACTERS = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ,');
/** The number of characters that are made from one random number. */
const CHARACTERS_PER_NUMBER = 5;
const ADDRESS_NUMBERS = 9;

function addresses({ first, count }: RowRange, seed: number): Column {
  const stream = new RandomStream(seed, ADDRESS_NUMBERS, first);
  const [least, greatest] = lengthsAbout(25);
  const builder = new TextBuilder(count * 30);
  for (let row = 0; row < count; row++) {
    const length = stream.integer(least, greatest);
    builder.begin(length);
    let bits = 0;
    for (let i = 0; i < length; i++) {
      if (i % CHARACTERS_PER_NUMBER === 0) bits = stream.bits();
      builder.bytes[builder.end++] = CHARACTERS[bits & 0x3f]!;
      bits >>= 6;
    }
    builder.finish();
    stream.skip(ADDRESS_NUMBERS - 1 - Math.ceil(length / CHARACTERS_PER_NUMBER));
  }
  return builder.column();
}

const PHONE_LENGTH = 15;
const DASH = 0x2d;

function phones({ first, count }: RowRange, seed: number, nations: Int32Array): Column {
  const stream = new RandomStream(seed, 3, first);
  const builder = new TextBuilder(count * (4 + PHONE_LENGTH));
  for (let row = 0; row < count; row++) {
    builder.begin(PHONE_LENGTH);
    builder.putNumber(10 + nations[row]!, 2);
    builder.bytes[builder.end++] = DASH;
    builder.putNumber(stream.integer(100, 999), 3);
    builder.bytes[builder.end++] = DASH;
    builder.putNumber(stream.integer(100, 999), 3);
    builder.bytes[builder.end++] = DASH;
    builder.putNumber(stream.integer(1000, 9999), 4);
    builder.finish();
  }
  return builder.column();
}
