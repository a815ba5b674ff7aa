import { Random } from '../generate/random.ts';
import type { Value } from '../generate/source.ts';
import { Weighted } from '../generate/weighted.ts';
import { businessKey } from './ids.ts';
import { anyAddress } from './places.ts';
import type { RowCounts } from './row-counts.ts';
import { jumble } from './text.ts';
import { COUNTRIES, FEMALE_NAMES, LAST_NAMES, MALE_NAMES } from './vocabulary.ts';

const CUSTOMER_SALT = 0x61;
const ADDRESS_SALT = 0x62;
/** First sales are on or after 1993-01-05, reviews in the year before the data was made. */
const FIRST_SALES = [2_448_998, 2_452_648] as const;
const REVIEWS = [2_452_283, 2_452_648] as const;
const SHIPPED_DAYS_LATER = 30;
const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DOMAINS = ['com', 'org', 'edu'];
const LOCATION_TYPES = ['single family', 'condo', 'apartment'];
const FIRST_NAME = Weighted.zipf(MALE_NAMES.length + 40);
const LAST_NAME = Weighted.zipf(LAST_NAMES.length + 60);

const random = new Random();

/** @param place from 0 */
export function customerRow(place: number, counts: RowCounts): readonly Value[] {
  random.sow(CUSTOMER_SALT, place);
  const female = random.chance(0.5);
  const names = female ? FEMALE_NAMES : MALE_NAMES;
  const firstName = names[FIRST_NAME.pick(random) % names.length]!;
  const lastName = LAST_NAMES[LAST_NAME.pick(random) % LAST_NAMES.length]!;
  const firstSales = random.integer(...FIRST_SALES);
  const month = random.integer(1, 12);
  return [
    place + 1,
    businessKey(place + 1),
    random.integer(1, counts.customer_demographics),
    random.integer(1, counts.household_demographics),
    random.integer(1, counts.customer_address),
    firstSales + SHIPPED_DAYS_LATER,
    firstSales,
    random.of(female ? ['Ms.', 'Mrs.', 'Miss', 'Dr.'] : ['Mr.', 'Sir', 'Dr.']),
    firstName,
    lastName,
    random.chance(0.5) ? 'Y' : 'N',
    random.integer(1, DAYS_OF_MONTH[month - 1]!),
    month,
    random.integer(1924, 1992),
    random.of(COUNTRIES),
    null,
    `${firstName}.${lastName}@${jumble(random, 1, 14)}.${random.of(DOMAINS)}`,
    random.integer(...REVIEWS),
  ];
}

/** @param place from 0 */
export function customerAddressRow(place: number): readonly Value[] {
  random.sow(ADDRESS_SALT, place);
  return [place + 1, businessKey(place + 1), ...anyAddress(random), random.of(LOCATION_TYPES)];
}
