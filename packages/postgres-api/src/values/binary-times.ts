const DAY_MICROS = 86_400_000_000n;
const EPOCH_DAYS = 10_957n;

const MAX_INT32 = 2 ** 31 - 1;
const MIN_INT32 = -(2 ** 31);
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** The text of a date, given in days since 2000-01-01. */
export function dateText(days: number): string {
  if (days === MAX_INT32) return 'infinity';
  if (days === MIN_INT32) return '-infinity';
  const { date, era } = civil(BigInt(days) + EPOCH_DAYS);
  return date + era;
}

/** The text of a timestamp, given in microseconds since 2000-01-01. */
export function timestampText(micros: bigint, zone = ''): string {
  if (micros === MAX_INT64) return 'infinity';
  if (micros === MIN_INT64) return '-infinity';
  const time = ((micros % DAY_MICROS) + DAY_MICROS) % DAY_MICROS;
  const { date, era } = civil((micros - time) / DAY_MICROS + EPOCH_DAYS);
  return `${date} ${timeText(time)}${zone}${era}`;
}

/** The text of a time of day, given in microseconds. */
export function timeText(micros: bigint): string {
  const seconds = micros / 1_000_000n;
  const fraction = micros % 1_000_000n;
  const parts = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n].map((part) => pad(part, 2));
  return `${parts.join(':')}${fraction === 0n ? '' : `.${pad(fraction, 6).replace(/0+$/, '')}`}`;
}

export function intervalText(micros: bigint, days: number, months: number): string {
  const time = micros < 0n ? `-${timeText(-micros)}` : timeText(micros);
  return `${months} months ${days} days ${time}`;
}

const pad = (value: bigint, width: number): string => String(value).padStart(width, '0');

/**
 * Converts days since 1970 to a date of the proleptic Gregorian calendar, also beyond the range of `Date`.
 */
function civil(days: bigint): { readonly date: string; readonly era: string } {
  const shifted = days + 719_468n;
  const era = (shifted >= 0n ? shifted : shifted - 146_096n) / 146_097n;
  const ofEra = shifted - era * 146_097n;
  const yearOfEra = (ofEra - ofEra / 1460n + ofEra / 36_524n - ofEra / 146_096n) / 365n;
  const ofYear = ofEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n);
  const shiftedMonth = (5n * ofYear + 2n) / 153n;
  const day = ofYear - (153n * shiftedMonth + 2n) / 5n + 1n;
  const month = shiftedMonth < 10n ? shiftedMonth + 3n : shiftedMonth - 9n;
  const year = yearOfEra + era * 400n + (month <= 2n ? 1n : 0n);
  const shown = year > 0n ? year : 1n - year;
  return { date: `${pad(shown, 4)}-${pad(month, 2)}-${pad(day, 2)}`, era: year > 0n ? '' : ' BC' };
}
