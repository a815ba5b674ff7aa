import { REFUSED_END, REFUSED_RANGE } from '@tessera/kernel';

/** The types whose texts PostgreSQL reads as dates and times, by their names in the kernel. */
export type TimeType = 'DATE' | 'TIME' | 'TIMESTAMP' | 'TIMESTAMP WITH TIME ZONE';

const TYPES: ReadonlySet<string> = new Set(['DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE']);

export const isTimeType = (type: string): type is TimeType => TYPES.has(type);

/** The fields of a date or a time that were found in a text. A year of two digits has `isShort`. */
interface Moment {
  year?: { readonly value: number; readonly isShort: boolean };
  month?: number;
  day?: number;
  /** Microseconds since midnight. */
  clock?: bigint;
  half?: 'a' | 'p';
  /** An offset to the east (`+02:00`), or the name of a zone after a blank. */
  zone?: string;
  era?: 'ad' | 'bc';
  /** Numbers before or after the name of a month: the day and the year. */
  numbers: string[];
}

type Reader = (moment: Moment, ...groups: (string | undefined)[]) => boolean;

/** Words that `clockText` replaces, or that the kernel reads. */
const WORDS = /^\s*(?:now|today|tomorrow|yesterday|[-+]?infinity)\s*$/i;
/** Texts that PostgreSQL and the kernel read alike, whether they are valid or not. */
const PLAIN = {
  DATE: /^(?!0000)\d{4}-\d\d-\d\d$/,
  TIME: /^\d\d:\d\d(?::[0-5]\d(?:\.\d{1,6})?)?$/,
  TIMESTAMP: /^(?!0000)\d{4}-\d\d-\d\d(?: \d\d:\d\d:[0-5]\d(?:\.\d{1,6})?)?$/,
  'TIMESTAMP WITH TIME ZONE':
    /^(?!0000)\d{4}-\d\d-\d\d(?: \d\d:\d\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-]\d\d(?::\d\d)?)?)?$/,
} as const;
const MAY_BE_TIME =
  /^\s*(?:\d+[-/.]\d+[-/.]\d|\d+[-/. ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[- ,]*\d|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? |\d{8}(?:\s*$|[T ]\d)|\d{1,2}:\d|\d{1,2} ?[ap]m\b)/i;

/** Whether a text may be a date or a time which the kernel reads differently, or not at all. */
export const mayBeForeignTime = (text: string): boolean =>
  MAY_BE_TIME.test(text) && !PLAIN['TIMESTAMP WITH TIME ZONE'].test(text) && !PLAIN.TIME.test(text);

/**
 * A date, a time or a point in time as PostgreSQL reads it (with `DateStyle` ISO, MDY), in the kernel's spelling: `2024-02-29` for
 * `Feb 29, 2024` and `20240229`, `22:00:00` for `10:00 pm`. A text in another form, or with fields that do not exist,
 * becomes one that the kernel refuses. The kernel still checks that the month has that day.
 */
export function kernelTime(text: string, type: TimeType): string {
  if (PLAIN[type].test(text) || WORDS.test(text)) return text;
  if (/^\s*epoch\s*$/i.test(text) && type !== 'TIME')
    return type === 'DATE' || type === 'TIMESTAMP' ? '1970-01-01' : '1970-01-01 00:00:00+00';
  const moment = readMoment(text);
  const read = moment && (type === 'TIME' ? timeOfDay(moment) : pointInTime(moment, type));
  return read === undefined || read === REFUSED_RANGE ? (read ?? REFUSED_END) + text : read;
}

function readMoment(text: string): Moment | undefined {
  const moment: Moment = { numbers: [] };
  let rest = text.trim();
  if (rest === '') return undefined;
  while (rest !== '') {
    const read = PARTS.some(([pattern, reader]) => {
      const match = pattern.exec(rest);
      if (match === null || !reader(moment, ...match.slice(1))) return false;
      rest = rest.slice(match[0].length);
      return true;
    });
    if (!read) return undefined;
  }
  if (!withNumbers(moment)) return undefined;
  return moment;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const SECONDS = 1_000_000n;

/** The offsets of PostgreSQL's abbreviations, to the east. */
const OFFSETS: Readonly<Record<string, string>> = {
  ...{ z: '+00', zulu: '+00', utc: '+00', gmt: '+00', ut: '+00', wet: '+00', west: '+01', bst: '+01' },
  ...{ cet: '+01', cest: '+02', met: '+01', mest: '+02', eet: '+02', eest: '+03', msk: '+03', ist: '+02' },
  ...{ est: '-05', edt: '-04', cst: '-06', cdt: '-05', mst: '-07', mdt: '-06', pst: '-08', pdt: '-07' },
  ...{ ast: '-04', adt: '-03', akst: '-09', akdt: '-08', hst: '-10', jst: '+09', kst: '+09', sgt: '+08' },
  ...{ aest: '+10', aedt: '+11', acst: '+09:30', awst: '+08', nzst: '+12', nzdt: '+13' },
};

/** The parts of a text from its current place on, the first that matches. */
const PARTS: readonly (readonly [RegExp, Reader])[] = [
  [/^[\s,]+/, () => true],
  [/^(\d{3,7})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/, (moment, y, _, m, d) => setDate(moment, y!, m!, d!)],
  [/^(\d{1,2})([-/.])(\d{1,2})\2(\d{1,7})(?!\d)/, (moment, m, _, d, y) => setDate(moment, y!, m!, d!)],
  [
    /^(\d{4})(\d\d)(\d\d)(?![\d:.])/,
    (moment, y, m, d) => moment.clock === undefined && setDate(moment, y!, m!, d!),
  ],
  [/^[Tt]?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?(?!\d)/, setClock],
  [
    /^[Tt]?(\d\d)(\d\d)(\d\d)?(?:\.(\d*))?(?!\d)/,
    (moment, h, m, s, f) =>
      moment.month !== undefined && moment.day !== undefined && setClock(moment, h!, m!, s, f),
  ],
  [
    /^([ap])m(?![a-z])/i,
    (moment, half) => moment.half === undefined && set(moment, { half: lower(half) as 'a' }),
  ],
  [/^(?:a\.?d\.?|\(ad\))(?![a-z])/i, (moment) => moment.era === undefined && set(moment, { era: 'ad' })],
  [/^(?:b\.?c\.?|\(bc\))(?![a-z])/i, (moment) => moment.era === undefined && set(moment, { era: 'bc' })],
  [new RegExp(`^${MONTH}\\.?[-/ ]?(?![a-z])`, 'i'), setMonth],
  [/^(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?(?![a-z])/i, () => true],
  [/^([+-])(\d{1,2})(?::?(\d\d)(?::?(\d\d))?)?(?![\d:])/, setOffset],
  [/^([a-z]{3,})([+-])(\d{1,2})(?::(\d\d))?(?![\w:/])/i, setPosixZone],
  [/^([a-z_]+(?:\/[a-z0-9_+-]+)+)(?![\w/])/i, setNamedZone],
  [/^([a-z]{1,5})(?![\w/])/i, (moment, name) => setZone(moment, OFFSETS[lower(name)])],
  [/^(\d{1,7})(?![\d:])[-/]?/, (moment, number) => moment.numbers.push(number!) > 0],
];

const lower = (text: string | undefined): string => (text ?? '').toLowerCase();

function set(moment: Moment, values: Partial<Moment>): true {
  Object.assign(moment, values);
  return true;
}

const hasDate = ({ year, month, numbers }: Moment): boolean =>
  year !== undefined || (month !== undefined && numbers.length === 2);

function setDate(moment: Moment, year: string, month: string, day: string): boolean {
  if (moment.month !== undefined || moment.numbers.length > 0) return false;
  return set(moment, {
    year: { value: Number(year), isShort: year.length <= 2 },
    month: Number(month),
    day: Number(day),
  });
}

function setMonth(moment: Moment, name: string | undefined): boolean {
  if (moment.month !== undefined) return false;
  return set(moment, { month: MONTHS.indexOf(lower(name).slice(0, 3)) + 1 });
}

function setClock(
  moment: Moment,
  hours: string | undefined,
  minutes: string | undefined,
  seconds = '0',
  fraction = '',
): boolean {
  const [h, m, s] = [hours, minutes, seconds].map(Number) as [number, number, number];
  if (moment.clock !== undefined) return false;
  if (h > 24 || m > 59 || s > 60) return set(moment, { clock: OUTSIDE });
  const micros = BigInt(toEven(Number(`0.${fraction || '0'}`) * 1e6));
  const clock = BigInt((h * 60 + m) * 60 + s) * SECONDS + micros;
  return set(moment, { clock: clock > DAY ? OUTSIDE : clock });
}

/** The nearest integer, and the even one of two that are equally near. */
function toEven(value: number): number {
  const below = Math.floor(value);
  return value - below === 0.5 ? below + (below % 2) : Math.round(value);
}

/** The clock of a time that does not exist. */
const OUTSIDE = -1n;
const DAY = 86_400n * SECONDS;

/** A zone follows a date or a time. */
function setZone(moment: Moment, zone: string | undefined): boolean {
  if (zone === undefined || moment.zone !== undefined) return false;
  if (moment.clock === undefined && !hasDate(moment)) return false;
  return set(moment, { zone });
}

function setOffset(
  moment: Moment,
  sign: string | undefined,
  hours = '',
  minutes = '00',
  seconds = '00',
): boolean {
  const offset = `${sign}${hours.padStart(2, '0')}:${minutes}${seconds === '00' ? '' : `:${seconds}`}`;
  return Number(hours) <= 15 && setZone(moment, offset);
}

/** `UTC+3` is three hours west of Greenwich. */
function setPosixZone(
  moment: Moment,
  _: string | undefined,
  sign: string | undefined,
  hours: string | undefined,
  minutes: string | undefined,
): boolean {
  return setOffset(moment, sign === '+' ? '-' : '+', hours, minutes);
}

function setNamedZone(moment: Moment, name: string | undefined): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name! });
  } catch {
    return false;
  }
  return setZone(moment, ` ${name}`);
}

/** Takes the numbers around the name of a month for a day and a year, which has more than two digits or is the second. */
function withNumbers(moment: Moment): boolean {
  const { numbers, year } = moment;
  if (numbers.length === 0) return true;
  if (year !== undefined || moment.month === undefined || numbers.length !== 2) return false;
  const [first, second] = numbers as [string, string];
  const [yearText, dayText] = first.length > 2 ? [first, second] : [second, first];
  if (dayText.length > 2) return false;
  return set(moment, {
    year: { value: Number(yearText), isShort: yearText.length <= 2 },
    day: Number(dayText),
  });
}

/** The clock on 24 hours; `OUTSIDE` for hours such as `16:00 pm`. */
function clockOf({ clock = 0n, half }: Moment): bigint {
  if (half === undefined || clock === OUTSIDE) return clock;
  const hour = clock / (3600n * SECONDS);
  if (hour < 1n || hour > 12n) return OUTSIDE;
  const shift = (half === 'p' ? 12n : 0n) - (hour === 12n ? 12n : 0n);
  return clock + shift * 3600n * SECONDS;
}

function timeOfDay(moment: Moment): string | undefined {
  if (moment.clock === undefined || moment.era !== undefined) return undefined;
  if (moment.zone?.startsWith(' ') && !hasDate(moment)) return undefined;
  const clock = clockOf(moment);
  return clock === OUTSIDE ? REFUSED_RANGE : clockText(clock);
}

function clockText(clock: bigint): string {
  const [seconds, micros] = [clock / SECONDS, clock % SECONDS];
  const fields = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n];
  const fraction = micros === 0n ? '' : `.${String(micros).padStart(6, '0')}`;
  return fields.map((field) => String(field).padStart(2, '0')).join(':') + fraction;
}

function pointInTime(moment: Moment, type: TimeType): string | undefined {
  const { year, month, day, zone = '' } = moment;
  const clock = clockOf(moment);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const exists = month >= 1 && month <= 12 && day >= 1 && day <= 31 && clock !== OUTSIDE;
  if (!exists || (year.value === 0 && !year.isShort)) return REFUSED_RANGE;
  const isBefore = moment.era === 'bc';
  const century = !year.isShort || moment.era !== undefined ? 0 : year.value < 70 ? 2000 : 1900;
  const fields = [year.value + century, month, day].map((n, i) => String(n).padStart(i === 0 ? 4 : 2, '0'));
  const date = `${fields.join('-')}${isBefore ? ' (BC)' : ''}`;
  if (type === 'DATE') return date;
  const shown = type === 'TIMESTAMP' ? '' : zone;
  if (clock === DAY) {
    const next = new Date(Date.UTC(year.value + century, month - 1, day + 1));
    return isBefore ? REFUSED_RANGE : `${next.toISOString().slice(0, 10)} 00:00:00${shown}`;
  }
  return moment.clock === undefined && shown === '' ? date : `${date} ${clockText(clock)}${shown}`;
}
