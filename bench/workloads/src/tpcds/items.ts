import { Random } from '../generate/random.ts';
import type { Value } from '../generate/source.ts';
import { WeightedItems } from '../generate/weighted.ts';
import { brandWords, businessKey, digitWords } from './ids.ts';
import { revisionOf } from './revisions.ts';
import { prose } from './text.ts';
import { CATEGORIES, COLORS, UNITS } from './vocabulary.ts';

/** The day 1997-10-27. */
export const FIRST_ITEMS_DAY = 10_161;
const SALT = 0x51;

/** Ranges of prices in hundredths, by frequency: most items are cheap. */
const PRICES = new WeightedItems<readonly [number, number]>([
  [[9, 499], 55],
  [[500, 999], 33],
  [[1000, 9999], 12],
]);
const SIZES = new WeightedItems([
  ['N/A', 50],
  ['medium', 15],
  ['small', 10],
  ['large', 10],
  ['extra large', 7],
  ['petite', 5],
  ['economy', 3],
]);
const MANAGERS = new WeightedItems<readonly [number, number]>([
  [[1, 35], 60],
  [[36, 66], 28],
  [[67, 100], 12],
]);
const MANUFACTURERS = new WeightedItems<readonly [number, number]>([
  [[1, 350], 60],
  [[351, 700], 28],
  [[701, 1000], 12],
]);
/** The number of colors that are as frequent as the last ones. */
const FEW_COLORS = 30;

const random = new Random();

/** @param place from 0 */
export function itemRow(place: number): readonly Value[] {
  const key = place + 1;
  const { first, start, end } = revisionOf(key, FIRST_ITEMS_DAY);
  random.sow(SALT, first);
  const description = prose(random, 1, 200);
  const wholesaleShare = random.integer(30, 95);
  const clothing = random.chance(0.5);
  const formulation = `${random.integer(1, 999)}${random.of(COLORS)}${random.integer(1_000_000, 99_999_999)}`;
  const size = clothing ? SIZES.pick(random) : 'N/A';
  const units = random.of(UNITS);
  const color = random.chance(0.75)
    ? COLORS[random.integer(FEW_COLORS, COLORS.length - 1)]!
    : COLORS[random.integer(0, COLORS.length - 1)]!;
  const basePrice = random.integer(...PRICES.pick(random));
  random.sow(SALT + 1, key);
  const category = random.integer(1, CATEGORIES.length);
  const [categoryName, classes] = CATEGORIES[category - 1]!;
  const classNumber = random.integer(1, classes.length);
  const brand = random.integer(1, classes.length === 4 ? 2 : 17);
  const manufacturer = random.integer(...MANUFACTURERS.pick(random));
  return [
    key,
    businessKey(first),
    start,
    end,
    description,
    key === first ? basePrice : Math.max(9, Math.round((basePrice * random.integer(50, 200)) / 100)),
    Math.max(3, Math.round((basePrice * wholesaleShare) / 100)),
    category * 1_000_000 + classNumber * 1_000 + brand,
    `${brandWords(category * 10 + classNumber)} #${brand}`,
    classNumber,
    classes[classNumber - 1]!,
    category,
    categoryName,
    manufacturer,
    digitWords(manufacturer),
    size,
    formulation,
    color,
    units,
    'Unknown',
    random.integer(...MANAGERS.pick(random)),
    digitWords(key),
  ];
}
