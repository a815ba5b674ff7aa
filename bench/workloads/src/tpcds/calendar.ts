import type { Value } from '../generate/source.ts';
import { Weighted } from '../generate/weighted.ts';
import { businessKey } from './ids.ts';

/** The Julian day number of 1970-01-01; the key of a date is its Julian day number. */
export const EPOCH_KEY = 2_440_588;
/** The key of the first row, 1900-01-02. */
const FIRST_KEY = 2_415_022;
const NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
/** Indexed by the day of a leap year, which the rows of all years use for holidays and quarters. */
const HOLIDAYS = new Set([1, 186, 360, 366]);
const QUARTER_STARTS = [1, 92, 183, 275];
const PREVIOUS_QUARTER_DAYS = [92, 90, 91, 92];
/** The day on which the data claims to have been made, 2003-01-08. */
const CURRENT = { year: 2003, month: 1, quarter: 1 } as const;

/** Some columns treat 1900 as a leap year. */
const isNearlyLeap = (year: number): boolean => year % 4 === 0;
const isLeap = (year: number): boolean => isNearlyLeap(year) && (year % 100 !== 0 || year % 400 === 0);
const yesOrNo = (flag: boolean): string => (flag ? 'Y' : 'N');

/** A row of `date_dim`, including the peculiarities of the official one. @param place from 0 */
export function dateRow(place: number): readonly Value[] {
  const key = FIRST_KEY + place;
  const date = new Date((key - EPOCH_KEY) * 86_400_000);
  const [year, month, dayOfMonth] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  const daysBefore = DAYS_BEFORE_MONTH[month - 1]! + (isNearlyLeap(year) && month > 2 ? 1 : 0);
  const dayOfYear = daysBefore + dayOfMonth;
  const quarter = QUARTER_STARTS.findLastIndex((start) => dayOfYear >= start) + 1;
  const isBeforeMarch = month <= 2;
  const misdated = isBeforeMarch && isNearlyLeap(year) !== isLeap(year);
  const weekday = (date.getUTCDay() + (misdated ? 6 : 0)) % 7;
  const monthSequence = (year - 1900) * 12 + month - 1;
  const weekSequence = Math.floor(place / 7) + 1;
  const quarterSequence = (year - 1900) * 4 + Math.floor(month / 3) + 1;
  const firstOfMonth = key - dayOfMonth + 1;
  const throughLeapDay = dayOfYear >= 60 ? isLeap(year) : isLeap(year - 1);
  const quarterDays = PREVIOUS_QUARTER_DAYS[Math.floor((month - 1) / 3)]!;
  const inSecondQuarter = month >= 4 && month <= 6;
  const isCurrentYear = year === CURRENT.year;
  const isDayAfterHoliday =
    HOLIDAYS.has(dayOfYear - 1) || (dayOfYear === 1 && isNearlyLeap(year - 1) && year > 1900);
  return [
    key,
    businessKey(key),
    key - EPOCH_KEY,
    monthSequence,
    weekSequence,
    quarterSequence,
    year,
    weekday,
    month,
    dayOfMonth,
    quarter,
    year,
    quarterSequence,
    weekSequence,
    NAMES[weekday]!,
    `${year}Q${quarter}`,
    yesOrNo(HOLIDAYS.has(dayOfYear)),
    yesOrNo(weekday === 5 || weekday === 6),
    yesOrNo(isDayAfterHoliday),
    firstOfMonth,
    firstOfMonth - 1 + daysBefore,
    key - (throughLeapDay ? 366 : 365),
    key - quarterDays - (isLeap(year) && inSecondQuarter ? 1 : 0),
    'N',
    'N',
    yesOrNo(isCurrentYear && month === CURRENT.month),
    yesOrNo(isCurrentYear && quarter === CURRENT.quarter),
    yesOrNo(isCurrentYear),
  ];
}

const SECONDS_OF_HOUR = 3600;

/** A row of `time_dim`. @param second of the day */
export function timeRow(second: number): readonly Value[] {
  const hour = Math.floor(second / SECONDS_OF_HOUR);
  return [
    second,
    businessKey(second + 1),
    second,
    hour,
    Math.floor(second / 60) % 60,
    second % 60,
    hour < 12 ? 'AM' : 'PM',
    shiftOf(hour),
    partOfDay(hour),
    mealOf(hour),
  ];
}

function shiftOf(hour: number): string {
  if (hour < 7 || hour === 23) return 'third';
  return hour < 15 ? 'first' : 'second';
}

function partOfDay(hour: number): string {
  if (hour < 6) return 'night';
  if (hour < 12) return 'morning';
  return hour < 17 ? 'afternoon' : 'evening';
}

function mealOf(hour: number): string | null {
  if (hour >= 6 && hour <= 9) return 'breakfast';
  if (hour >= 12 && hour <= 14) return 'lunch';
  return hour >= 17 && hour <= 19 ? 'dinner' : null;
}

/** Sales begin on 1998-01-02 and end on 2003-01-02. */
const FIRST_SALE_KEY = 2_450_816;
const SALE_DAYS = 1827;
/** The zones of the year: January to July, August to October, November and December. */
const zoneWeight = (month: number): number => {
  if (month <= 7) return 1;
  return month <= 10 ? 2.2 : 3.5;
};
const SALES = new Weighted(
  Array.from({ length: SALE_DAYS }, (_, day) => {
    const date = new Date((FIRST_SALE_KEY + day - EPOCH_KEY) * 86_400_000);
    return zoneWeight(date.getUTCMonth() + 1);
  }),
);

/** The key of the day of a sale. @param fraction from 0 to 1 (exclusive), in the order of time */
export const saleDay = (fraction: number): number => FIRST_SALE_KEY + SALES.at(fraction);
