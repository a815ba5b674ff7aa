import type { TableObject } from '@tessera/catalog';
import { type OrderedValue, orderOf } from '../values/order.ts';
import { parseType } from '../values/parse-type.ts';

/** Maps the values of a type to integers in the same order, so that a range of values can be halved. */
export interface KeySpace {
  /**
   * Undefined for a text that is not a value of the type, or for an infinite value. Long texts with a common
   * beginning may have the same number.
   */
  position(text: string): bigint | undefined;
  /** A value of the type (as the kernel's VARCHAR) at the position. */
  textAt(position: bigint): string;
}

/** The column by whose ranges a table can be divided: the first column of its primary index. */
export const keyColumnOf = ({ columns, primaryIndex }: Pick<TableObject, 'columns' | 'primaryIndex'>) =>
  columns.find(({ id }) => id === primaryIndex[0]);

/** Undefined for types whose values cannot be halved like this. `common` is a prefix of all texts. */
export function keySpaceOf(type: string, common = ''): KeySpace | undefined {
  const parsed = parseType(type);
  const order = orderOf(type);
  if (parsed === undefined || order === undefined) return undefined;
  const numbered = (textAt: KeySpace['textAt']): KeySpace => ({
    position: (text) => wholeNumber(order.parse(text)),
    textAt,
  });
  switch (parsed.id) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
    case 'UTINYINT':
    case 'USMALLINT':
    case 'UINTEGER':
    case 'UBIGINT':
      return numbered(String);
    case 'DECIMAL':
      return numbered((position) => decimalText(position, parsed.scale));
    case 'DATE':
      return numbered((day) => dateText(day));
    case 'TIMESTAMP':
      return numbered((us) => momentText(us));
    case 'TIMESTAMPTZ':
      return numbered((us) => `${momentText(us)}+00`);
    case 'UUID':
      return { position: uuidPosition, textAt: uuidText };
    case 'VARCHAR':
      return textSpace(common);
    default:
      return undefined;
  }
}

function wholeNumber(value: OrderedValue | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function decimalText(position: bigint, scale: number): string {
  if (scale === 0) return String(position);
  const digits = String(position < 0n ? -position : position).padStart(scale + 1, '0');
  return `${position < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

const DAY_US = 86_400_000_000n;
const DAY_MS = 86_400_000;

function dateText(day: bigint): string {
  const date = new Date(Number(day) * DAY_MS);
  const year = date.getUTCFullYear();
  const rest = `${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  return year > 0 ? `${four(year)}-${rest}` : `${four(1 - year)}-${rest} (BC)`;
}

function momentText(us: bigint): string {
  const within = ((us % DAY_US) + DAY_US) % DAY_US;
  const [day, era = ''] = dateText((us - within) / DAY_US).split(' ');
  const seconds = Number(within / 1_000_000n);
  const time = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  const fraction = String(within % 1_000_000n).padStart(6, '0');
  return `${day} ${time}.${fraction}${era === '' ? '' : ` ${era}`}`;
}

const two = (n: number): string => String(n).padStart(2, '0');
const four = (n: number): string => String(n).padStart(4, '0');

const UUID_GROUPS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
const UUID_DIGITS = /^[0-9a-f]{32}$/;

function uuidPosition(text: string): bigint | undefined {
  const digits = text.replaceAll('-', '').toLowerCase();
  return UUID_DIGITS.test(digits) ? BigInt(`0x${digits}`) : undefined;
}

const uuidText = (position: bigint): string =>
  position.toString(16).padStart(32, '0').replace(UUID_GROUPS, '$1-$2-$3-$4-$5');

/** The number of characters after the common prefix that count. */
const CHARACTERS = 7;
/** Characters from this one on count as this one, because they may not be valid on their own. */
const LAST_CHARACTER = 127;

function textSpace(common: string): KeySpace {
  return {
    position(text) {
      if (!text.startsWith(common)) return text < common ? 0n : (1n << BigInt(7 * CHARACTERS)) - 1n;
      let position = 0n;
      for (let i = 0; i < CHARACTERS; i++) {
        const code = i + common.length < text.length ? text.charCodeAt(common.length + i) : 0;
        position = (position << 7n) + BigInt(Math.min(code, LAST_CHARACTER));
      }
      return position;
    },
    textAt(position) {
      const codes = Array.from({ length: CHARACTERS }, (_, i) =>
        Number((position >> BigInt(7 * (CHARACTERS - 1 - i))) & 127n),
      );
      while (codes.at(-1) === 0) codes.pop();
      // A NUL inside would end the text for some clients; no value lies between it and the next character.
      return common + String.fromCharCode(...codes.map((code) => Math.max(1, code)));
    },
  };
}

/** Returns the common prefix of two texts. */
export function commonBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  // Half of a surrogate pair is not a valid text.
  if (/[\ud800-\udbff]$/.test(a.slice(0, length))) length -= 1;
  return a.slice(0, length);
}
