import type { KernelType } from '@tessera/kernel';
import { parseType } from './parse-type.ts';

/** A value in a form that compares fast. Texts compare by code points, as their bytes do. */
export type OrderedValue = number | bigint | string;

/** The order of a type's values, as the kernel sorts them. */
export interface ValueOrder {
  /** Of the kernel's VARCHAR; undefined for a text that is no value of the type, or one whose place is not known. */
  parse(text: string): OrderedValue | undefined;
  compare(a: OrderedValue, b: OrderedValue): number;
}

/** Undefined for types without an order that is known here (nested ones, JSON, ENUM, INTERVAL). */
export function orderOf(type: string): ValueOrder | undefined {
  const parsed = parseType(type);
  return parsed === undefined ? undefined : orderOfType(parsed);
}

export function orderOfType(type: KernelType): ValueOrder | undefined {
  if (type.id === 'DECIMAL') return decimalOrder(type.scale);
  return ORDERS[type.id];
}

const byNumber = (a: OrderedValue, b: OrderedValue): number => (a < b ? -1 : a > b ? 1 : 0);
const numeric = (parse: ValueOrder['parse']): ValueOrder => ({ parse, compare: byNumber });

const INTEGER = /^[+-]?\d+$/;
/** Up to 15 digits a double is exact. */
const integer = numeric((text) =>
  INTEGER.test(text) ? (text.length <= 15 ? Number(text) : BigInt(text)) : undefined,
);

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
      // NaN, above all others for the kernel, has no place among JavaScript's numbers.
      return undefined;
  }
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?$/;
/** Scaled by the column's scale; digits beyond it make no value of the type. */
function decimalOrder(scale: number): ValueOrder {
  return numeric((text) => {
    const match = DECIMAL.exec(text);
    if (match === null) return undefined;
    const [, sign, whole = '', fraction = ''] = match;
    if (whole === '' && fraction === '') return undefined;
    const beyond = fraction.slice(scale);
    if (/[1-9]/.test(beyond)) return undefined;
    const digits = `${whole}${fraction.slice(0, scale).padEnd(scale, '0')}` || '0';
    return digits.length <= 15 ? Number(`${sign}${digits}`) : BigInt(`${sign === '+' ? '' : sign}${digits}`);
  });
}

const MOMENT =
  /^(\d{4,6})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?)?( ?\(BC\))?(Z|[+-]\d{2}(?::?\d{2})?)?( ?\(BC\))?$/;
const DAY_MS = 86_400_000;

/** Days, with microseconds or nanoseconds behind them where the type has a time. */
function moment(unit: 'day' | 'us' | 'ns', zoned: boolean): ValueOrder {
  const perMs = unit === 'us' ? 1000n : 1_000_000n;
  return numeric((text) => {
    if (text === 'infinity') return Number.POSITIVE_INFINITY;
    if (text === '-infinity') return Number.NEGATIVE_INFINITY;
    const match = MOMENT.exec(text);
    if (match === null) return undefined;
    const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', bc, zone, bc2] =
      match;
    if (!zoned && zone !== undefined) return undefined;
    const midnight = midnightMs(
      bc !== undefined || bc2 !== undefined ? 1 - Number(year) : Number(year),
      Number(month),
      Number(day),
    );
    if (unit === 'day') {
      const timeOfDay = `${hour}${minute}${second}${fraction}`;
      return /[1-9]/.test(timeOfDay) ? undefined : midnight / DAY_MS;
    }
    const ms =
      midnight + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 - offsetMs(zone);
    const digits = unit === 'us' ? 6 : 9;
    if (/[1-9]/.test(fraction.slice(digits))) return undefined;
    const below = Number(fraction.slice(0, digits).padEnd(digits, '0'));
    if (unit === 'us') {
      const us = ms * 1000 + below;
      if (Number.isSafeInteger(us)) return us;
    }
    return BigInt(ms) * perMs + BigInt(below);
  });
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

/** UTF-16 order is not the order of the bytes where surrogates meet characters above them. */
export function compareText(a: OrderedValue, b: OrderedValue): number {
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
/** As a text of one character per byte. */
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
