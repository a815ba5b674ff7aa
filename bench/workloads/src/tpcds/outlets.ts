import { Random } from '../generate/random.ts';
import type { Value } from '../generate/source.ts';
import { businessKey, digitWords } from './ids.ts';
import { outletAddress } from './places.ts';
import { revisionOf } from './revisions.ts';
import type { RowCounts } from './row-counts.ts';
import { prose } from './text.ts';
import { FEMALE_NAMES, LAST_NAMES, MALE_NAMES } from './vocabulary.ts';

/** The day since 1970 on which first revisions begin. */
export const STORES_START = 9_933;
export const CALL_CENTERS_START = 10_227;
export const SITES_START = 10_089;
export const PAGES_START = 10_107;

const HOURS = ['8AM-4PM', '8AM-12AM', '8AM-8AM'];
const CENTER_NAMES = [
  'NY Metro',
  'Mid Atlantic',
  'North Midwest',
  'California',
  'Pacific Northwest',
  'Hawaii/Alaska',
  'Central Midwest',
  'New England',
  'Southeast',
  'South Central',
];
const CENTER_CLASSES = ['small', 'medium', 'large'];
const PAGE_TYPES = ['general', 'ad', 'welcome', 'protected', 'feedback', 'order', 'dynamic'];
const COMPANIES = 6;
/** Up to this many outlets are in one county. */
const FEW_OUTLETS = 30;

const random = new Random();
const manager = (): string =>
  `${random.of(random.chance(0.5) ? MALE_NAMES : FEMALE_NAMES)} ${random.of(LAST_NAMES)}`;
const taxPercentage = (): number => random.integer(0, 12);

/** @param place from 0, also in the following functions */
export function storeRow(place: number): readonly Value[] {
  const key = place + 1;
  const { first, start, end } = revisionOf(key, STORES_START);
  random.sow(0x71, first);
  const where = outletAddress(random, first, FEW_OUTLETS);
  const tax = taxPercentage();
  const hours = random.of(HOURS);
  const market = random.integer(1, 10);
  const description = prose(random, 15, 100);
  const closed = random.chance(0.3) ? random.integer(2_450_820, 2_451_313) : null;
  random.sow(0x72, key);
  return [
    key,
    businessKey(first),
    start,
    end,
    closed,
    digitWords(first % 10),
    random.integer(200, 300),
    random.integer(5_000_000, 10_000_000),
    hours,
    manager(),
    market,
    'Unknown',
    description,
    manager(),
    1,
    'Unknown',
    1,
    'Unknown',
    ...where,
    tax,
  ];
}

export function callCenterRow(place: number): readonly Value[] {
  const key = place + 1;
  const { first, start, end } = revisionOf(key, CALL_CENTERS_START);
  random.sow(0x73, first);
  const where = outletAddress(random, first, FEW_OUTLETS);
  const tax = taxPercentage();
  const opened = random.integer(2_450_794, 2_451_146);
  const hours = random.of(HOURS);
  random.sow(0x74, key);
  const company = random.integer(1, COMPANIES);
  const division = random.integer(1, COMPANIES);
  return [
    key,
    businessKey(first),
    start,
    end,
    null,
    opened,
    CENTER_NAMES[(Math.ceil(first / 2) - 1) % CENTER_NAMES.length]!,
    random.of(CENTER_CLASSES),
    random.integer(1, 7) * key,
    random.integer(100, 700) * key,
    hours,
    manager(),
    random.integer(1, 6),
    prose(random, 20, 50),
    prose(random, 20, 100),
    manager(),
    division,
    digitWords(division),
    company,
    digitWords(company),
    ...where,
    tax,
  ];
}

export function webSiteRow(place: number): readonly Value[] {
  const key = place + 1;
  const { first, start, end } = revisionOf(key, SITES_START);
  random.sow(0x75, first);
  const where = outletAddress(random, first, FEW_OUTLETS);
  const opened = random.integer(2_450_370, 2_450_807);
  const company = random.integer(1, COMPANIES);
  random.sow(0x76, key);
  const closed = random.chance(0.3) ? opened + random.integer(300, 3_000) : null;
  return [
    key,
    businessKey(first),
    start,
    end,
    `site_${Math.floor(place / 6)}`,
    opened,
    closed,
    'Unknown',
    manager(),
    random.integer(1, 6),
    prose(random, 20, 50),
    prose(random, 20, 100),
    manager(),
    company,
    digitWords(company),
    ...where,
    taxPercentage(),
  ];
}

export function webPageRow(place: number, { customer }: RowCounts): readonly Value[] {
  const key = place + 1;
  const { first, start, end } = revisionOf(key, PAGES_START);
  random.sow(0x77, first);
  const created = random.integer(2_450_805, 2_450_815);
  const generated = random.chance(0.3);
  const links = random.integer(2, 25);
  const characters = links * random.integer(120, 260);
  random.sow(0x78, key);
  return [
    key,
    businessKey(first),
    start,
    end,
    created,
    random.integer(2_452_549, 2_452_648),
    generated ? 'Y' : 'N',
    generated ? random.integer(1, customer) : null,
    'http://www.foo.com',
    random.of(PAGE_TYPES),
    // One query filters for pages of 5,000 to 5,200 characters.
    key % 10 === 1 ? random.integer(5_000, 5_200) : characters,
    links,
    random.integer(1, 7),
    random.integer(0, 4),
  ];
}

export function warehouseRow(place: number): readonly Value[] {
  const key = place + 1;
  random.sow(0x79, key);
  return [
    key,
    businessKey(key),
    prose(random, 10, 20),
    random.integer(50_000, 1_000_000),
    ...outletAddress(random, key, FEW_OUTLETS),
  ];
}
