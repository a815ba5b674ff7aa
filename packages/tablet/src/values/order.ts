import type { KernelType } from '@tessera/kernel';
import { parseType } from './parse-type.ts';

/** A value in a form that compares fast. Texts compare by code points, like their UTF-8 bytes. */
export type OrderedValue = number | bigint | string;

/** The order of a type's values, as the kernel sorts them. */
export interface ValueOrder {
  /**
   * Parses the kernel's VARCHAR of a value; undefined for a text that is not a value of the type, or whose
   * order is unknown.
   */
  parse(text: string): OrderedValue | undefined;
  compare(a: OrderedValue, b: OrderedValue): number;
}

/** Undefined for types without a known order (nested types, JSON, ENUM, INTERVAL). */
export function orderOf(type: string): ValueOrder | undefined {
  const parsed = parseType(type);
  return parsed === undefined ? undefined : orderOfType(parsed);
}

function orderOfType(type: KernelType): ValueOrder | undefined {
  if (type.id === 'DECIMAL') return decimalOrder(type.scale);
  return ORDERS[type.id];
}

const byNumber = (a: OrderedValue, b: OrderedValue): number => (a < b ? -1 : a > b ? 1 : 0);
const numeric = (parse: ValueOrder['parse']): ValueOrder => ({ parse, compare: byNumber });

/** The number of decimal digits that a double always holds exactly. */
const EXACT_DIGITS = 15;
const MINUS = 45;
const ZERO = 48;

const INTEGER = /^[+-]?\d+$/;
/** Parsed by hand because catalogs hold hundreds of thousands of bounds, most of them short. */
const integer = numeric((text) => {
  const negative = text.charCodeAt(0) === MINUS;
  const start = negative ? 1 : 0;
  const digits = text.length - start;
  if (digits > 0 && digits <= EXACT_DIGITS) {
    const value = digitsIn(text, start, text.length);
    if (value >= 0) return negative ? -value : value;
  }
  return INTEGER.test(text) ? BigInt(text.replace('+', '')) : undefined;
});

/** Returns -1 if there are other characters. */
function digitsIn(text: string, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const FLOATING = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
function floating(text: string): number | undefined {
  if (FLOATING.test(text)) return Number(text);
  switch (text.toLowerCase()) {
    case 'inf':
    case 'infinity':
    case '+inf':
      return Number.POSITIVE_INFINITY;
    case '-inf':
    case '-infinity':
      return Number.NEGATIVE_INFINITY;
    default:
      // NaN, which the kernel orders above all others, is not ordered among JavaScript's numbers.
      return undefined;
  }
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?$/;
const POINT = '.';
/** Scaled by the column's scale; a text with more digits is not a value of the type. */
function decimalOrder(scale: number): ValueOrder {
  return numeric((text) => {
    const negative = text.charCodeAt(0) === MINUS;
    const start = negative ? 1 : 0;
    const point = scale === 0 ? text.length : text.length - scale - 1;
    if (point > start && text.length - start <= EXACT_DIGITS && (scale === 0 || text[point] === POINT)) {
      const whole = digitsIn(text, start, point);
      const fraction = digitsIn(text, point + 1, text.length);
      if (whole >= 0 && fraction >= 0) {
        const value = whole * 10 ** scale + fraction;
        return negative ? -value : value;
      }
    }
    return decimalByPattern(text, scale);
  });
}

function decimalByPattern(text: string, scale: number): OrderedValue | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  if (/[1-9]/.test(fraction.slice(scale))) return undefined;
  const digits = `${whole}${fraction.slice(0, scale).padEnd(scale, '0')}`;
  return BigInt(`${sign === '-' ? '-' : ''}${digits === '' ? '0' : digits}`);
}

const MOMENT =
  /^(\d{4,6})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?)?( ?\(BC\))?(Z|[+-]\d{2}(?::?\d{2})?)?( ?\(BC\))?$/;
const DAY_MS = 86_400_000;

/** In days, microseconds or nanoseconds since 1970. */
function moment(unit: 'day' | 'us' | 'ns', zoned: boolean): ValueOrder {
  return numeric((text) => plainMoment(text, unit, zoned) ?? momentByPattern(text, unit, zoned));
}

/**
 * Parses `YYYY-MM-DD` and `YYYY-MM-DD hh:mm:ss`, with `+00` for types with a zone: the usual form of tablet
 * bounds.
 */
function plainMoment(text: string, unit: 'day' | 'us' | 'ns', zoned: boolean): OrderedValue | undefined {
  const day = text[4] === '-' && text[7] === '-' ? dayNumber(text) : undefined;
  if (day === undefined) return undefined;
  if (unit === 'day') return text.length === 10 ? day : undefined;
  if (text.length !== (zoned ? 22 : 19) || (zoned && !text.endsWith('+00'))) return undefined;
  const [hour, minute, second] = [digitsIn(text, 11, 13), digitsIn(text, 14, 16), digitsIn(text, 17, 19)];
  if (hour < 0 || minute < 0 || second < 0) return undefined;
  const seconds = day * 86_400 + (hour * 60 + minute) * 60 + second;
  return unit === 'us' ? seconds * 1e6 : BigInt(seconds) * 1_000_000_000n;
}

/** Days since 1970-01-01. Source: https://howardhinnant.github.io/date_algorithms.html#days_from_civil */
function dayNumber(text: string): number | undefined {
  const [year, month, day] = [digitsIn(text, 0, 4), digitsIn(text, 5, 7), digitsIn(text, 8, 10)];
  if (year < 1 || month < 1 || month > 12 || day < 1) return undefined;
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function momentByPattern(text: string, unit: 'day' | 'us' | 'ns', zoned: boolean): OrderedValue | undefined {
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  if (text === '-infinity') return Number.NEGATIVE_INFINITY;
  const match = MOMENT.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', bc, zone, bc2] = match;
  if (!zoned && zone !== undefined) return undefined;
  const beforeChrist = bc !== undefined || bc2 !== undefined;
  const midnight = midnightMs(beforeChrist ? 1 - Number(year) : Number(year), Number(month), Number(day));
  if (unit === 'day')
    return /[1-9]/.test(`${hour}${minute}${second}${fraction}`) ? undefined : midnight / DAY_MS;
  const ms = midnight + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 - offsetMs(zone);
  const digits = unit === 'us' ? 6 : 9;
  if (/[1-9]/.test(fraction.slice(digits))) return undefined;
  const below = Number(fraction.slice(0, digits).padEnd(digits, '0'));
  if (unit === 'ns') return BigInt(ms) * 1_000_000n + BigInt(below);
  const us = ms * 1000 + below;
  return Number.isSafeInteger(us) ? us : BigInt(ms) * 1000n + BigInt(below);
}

function midnightMs(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}

function offsetMs(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0)) * 60_000;
}

const CLOCK = /^(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?$/;
const clock = numeric((text) => {
  const match = CLOCK.exec(text);
  if (match === null) return undefined;
  const [, hour, minute, second, fraction = ''] = match;
  return ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1e9 + Number(fraction.padEnd(9, '0'));
});

/** UTF-16 order differs from byte order where surrogates meet characters above them. */
function compareText(a: OrderedValue, b: OrderedValue): number {
  const [x, y] = [a as string, b as string];
  if (x === y) return 0;
  const length = Math.min(x.length, y.length);
  for (let i = 0; i < length; i++) {
    const [c, d] = [x.charCodeAt(i), y.charCodeAt(i)];
    if (c !== d) return codeRank(c) - codeRank(d);
  }
  return x.length - y.length;
}

const codeRank = (unit: number): number =>
  unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;

const text: ValueOrder = { parse: (value) => value, compare: compareText };

const BLOB_BYTE = /\\x([0-9A-Fa-f]{2})|([^\\])/gy;
/** A blob is compared as a text of one character per byte. */
const blob: ValueOrder = {
  parse(value) {
    let bytes = '';
    let end = 0;
    for (const [whole, hex, plain] of value.matchAll(BLOB_BYTE)) {
      bytes += hex === undefined ? plain! : String.fromCharCode(Number.parseInt(hex, 16));
      end += whole.length;
    }
    return end === value.length ? bytes : undefined;
  },
  compare: compareText,
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const ORDERS: Readonly<Record<string, ValueOrder>> = {
  BOOLEAN: numeric((value) => (value === 'true' ? 1 : value === 'false' ? 0 : undefined)),
  TINYINT: integer,
  SMALLINT: integer,
  INTEGER: integer,
  BIGINT: integer,
  HUGEINT: integer,
  UTINYINT: integer,
  USMALLINT: integer,
  UINTEGER: integer,
  UBIGINT: integer,
  UHUGEINT: integer,
  DOUBLE: numeric(floating),
  FLOAT: numeric((value) => {
    const number = floating(value);
    return number === undefined ? undefined : Math.fround(number);
  }),
  VARCHAR: text,
  BLOB: blob,
  UUID: {
    parse: (value) => (UUID.test(value.toLowerCase()) ? value.toLowerCase() : undefined),
    compare: byNumber,
  },
  DATE: moment('day', false),
  TIME: clock,
  TIME_NS: clock,
  TIMESTAMP: moment('us', false),
  TIMESTAMP_S: moment('us', false),
  TIMESTAMP_MS: moment('us', false),
  TIMESTAMP_NS: moment('ns', false),
  TIMESTAMPTZ: moment('us', true),
};
