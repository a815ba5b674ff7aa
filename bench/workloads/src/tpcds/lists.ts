import { Random } from '../generate/random.ts';
import type { Value } from '../generate/source.ts';
import { businessKey, digitWords } from './ids.ts';
import type { RowCounts } from './row-counts.ts';
import { jumble, prose } from './text.ts';
import { REASONS } from './vocabulary.ts';

const SHIP_TYPES = ['EXPRESS', 'NEXT DAY', 'OVERNIGHT', 'TWO DAY', 'LIBRARY', 'REGULAR'];
const SHIP_CODES = ['AIR', 'SURFACE', 'SEA', 'BIKE'];
/** The first rows of each code. */
const SHIP_CODE_STARTS = [0, 5, 11, 17];
const CARRIERS =
  'UPS,FEDEX,AIRBORNE,USPS,DHL,TBS,ZHOU,ZOUROS,MSC,LATVIAN,ALLIANCE,ORIENTAL,BARIAN,BOXBUNDLES,GREAT EASTERN,DIAMOND,RUPEKSA,GERMA,HARMSTORF,PRIVATECARRIER'.split(
    ',',
  );

/**
 * Within a year, two catalogs are valid for half a year, four for a quarter and twelve for a month, numbered
 * in this order.
 */
const CATALOGS = [
  { count: 2, type: 'bi-annual', days: 182 },
  { count: 4, type: 'quarterly', days: 91 },
  { count: 12, type: 'monthly', days: 30 },
] as const;
const CATALOGS_A_YEAR = 18;
const CATALOG_YEARS = 6;
const FIRST_CATALOG_DAY = 2_450_815;

const random = new Random();

/** @param place from 0, also in the following functions */
export function shipModeRow(place: number): readonly Value[] {
  random.sow(0x81, place);
  return [
    place + 1,
    businessKey(place + 1),
    SHIP_TYPES[place % SHIP_TYPES.length]!,
    SHIP_CODES[SHIP_CODE_STARTS.findLastIndex((start) => place >= start)]!,
    CARRIERS[place]!,
    jumble(random, 2, 20),
  ];
}

export const reasonRow = (place: number): readonly Value[] => [
  place + 1,
  businessKey(place + 1),
  REASONS[place] ?? `reason ${place + 1}`,
];

export function promotionRow(place: number, { item }: RowCounts): readonly Value[] {
  random.sow(0x82, place);
  const start = random.integer(2_450_100, 2_450_915);
  return [
    place + 1,
    businessKey(place + 1),
    start,
    start + random.integer(5, 60),
    random.integer(1, item),
    100_000,
    1,
    digitWords((place + 1) % 10),
    random.chance(0.5) ? 'Y' : 'N',
    'N',
    'N',
    'N',
    'N',
    'N',
    'N',
    'N',
    prose(random, 20, 60),
    'Unknown',
    'N',
  ];
}

export function catalogPageRow(place: number, counts: RowCounts): readonly Value[] {
  random.sow(0x83, place);
  const pages = pagesOfCatalog(counts);
  const catalog = Math.floor(place / pages);
  const { type, from, to } = catalogOf(catalog);
  return [
    place + 1,
    businessKey(place + 1),
    from,
    to,
    'DEPARTMENT',
    catalog + 1,
    (place % pages) + 1,
    prose(random, 50, 100),
    type,
  ];
}

/** A page of a catalog that is valid on the day of the sale. */
export function pageOnDay(day: number, counts: RowCounts, random: Random): number {
  const pages = pagesOfCatalog(counts);
  const dayOfYear = (day - FIRST_CATALOG_DAY) % 365;
  const year = Math.floor((day - FIRST_CATALOG_DAY) / 365);
  const kind = random.integer(0, CATALOGS.length - 1);
  const before = CATALOGS.slice(0, kind).reduce((sum, { count }) => sum + count, 0);
  const { count, days } = CATALOGS[kind]!;
  const catalog = year * CATALOGS_A_YEAR + before + Math.min(count - 1, Math.floor(dayOfYear / days));
  return Math.min(catalog * pages + random.integer(1, pages), counts.catalog_page);
}

const pagesOfCatalog = (counts: RowCounts): number =>
  Math.floor(counts.catalog_page / (CATALOGS_A_YEAR * CATALOG_YEARS));

function catalogOf(catalog: number): { type: string; from: number; to: number } {
  let number = catalog % CATALOGS_A_YEAR;
  const year = FIRST_CATALOG_DAY + Math.floor(catalog / CATALOGS_A_YEAR) * 365;
  for (const { count, type, days } of CATALOGS) {
    if (number < count) return { type, from: year + number * days, to: year + (number + 1) * days - 1 };
    number -= count;
  }
  throw new Error(`no catalog ${catalog}`);
}
