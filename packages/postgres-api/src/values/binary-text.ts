import { textOfUtf8 } from '@tessera/common';
import { numericText } from './numeric.ts';

const DAY_MICROS = 86_400_000_000n;
const EPOCH_DAYS = 10_957n;

const MAX_INT32 = 2 ** 31 - 1;
const MIN_INT32 = -(2 ** 31);
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** The text of a date, given in days since 2000-01-01. */
function dateText(days: number): string {
  if (days === MAX_INT32) return 'infinity';
  if (days === MIN_INT32) return '-infinity';
  const { date, era } = civil(BigInt(days) + EPOCH_DAYS);
  return date + era;
}

/** The text of a timestamp, given in microseconds since 2000-01-01. */
function timestampText(micros: bigint, zone = ''): string {
  if (micros === MAX_INT64) return 'infinity';
  if (micros === MIN_INT64) return '-infinity';
  const time = ((micros % DAY_MICROS) + DAY_MICROS) % DAY_MICROS;
  const { date, era } = civil((micros - time) / DAY_MICROS + EPOCH_DAYS);
  return `${date} ${timeText(time)}${zone}${era}`;
}

/** The text of a time of day, given in microseconds. */
function timeText(micros: bigint): string {
  const seconds = micros / 1_000_000n;
  const fraction = micros % 1_000_000n;
  const parts = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n].map((part) => pad(part, 2));
  return `${parts.join(':')}${fraction === 0n ? '' : `.${pad(fraction, 6).replace(/0+$/, '')}`}`;
}

function intervalText(micros: bigint, days: number, months: number): string {
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

/**
 * The text of a value that arrived in binary format, by the OID of its type.
 * @throws RangeError for bytes that are not a value of the type, or for a type whose binary form is not
 * supported
 * @throws TesseraError INVALID_ENCODING
 */
export function binaryText(oid: number, bytes: Buffer): string {
  const element = ARRAY_ELEMENTS.get(oid);
  if (element !== undefined) return arrayText(bytes);
  const reader = READERS.get(oid);
  if (reader === undefined) throw new RangeError(`no binary form of the type with OID ${oid} is known`);
  if (reader.size >= 0 && bytes.length !== reader.size) {
    throw new RangeError(`${bytes.length} bytes where the type has ${reader.size}`);
  }
  return reader.text(bytes);
}

interface BinaryReader {
  /** The size in bytes; -1 means any. */
  readonly size: number;
  readonly text: (bytes: Buffer) => string;
}

const utf8 = (bytes: Buffer): string => textOfUtf8(bytes, 'a parameter in binary format');

const floatText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

const reader = (size: number, text: BinaryReader['text']): BinaryReader => ({ size, text });
const TEXT = reader(-1, utf8);
const JSONB_VERSION = 1;

/** The OID of the type, the OID of its array type, and the reader of its values. */
const TYPES: readonly (readonly [number, number, BinaryReader])[] = [
  [16, 1000, reader(1, (b) => (b[0] === 0 ? 'f' : 't'))],
  [17, 1001, reader(-1, (b) => `\\x${b.toString('hex')}`)],
  [18, 1002, TEXT],
  [19, 1003, TEXT],
  [20, 1016, reader(8, (b) => String(b.readBigInt64BE()))],
  [21, 1005, reader(2, (b) => String(b.readInt16BE()))],
  [23, 1007, reader(4, (b) => String(b.readInt32BE()))],
  [25, 1009, TEXT],
  [26, 1028, reader(4, (b) => String(b.readUInt32BE()))],
  [28, 1011, reader(4, (b) => String(b.readUInt32BE()))],
  [114, 199, TEXT],
  [142, 143, TEXT],
  [700, 1021, reader(4, (b) => floatText(b.readFloatBE()))],
  [701, 1022, reader(8, (b) => floatText(b.readDoubleBE()))],
  [705, 0, TEXT],
  [1042, 1014, TEXT],
  [1043, 1015, TEXT],
  [1082, 1182, reader(4, (b) => dateText(b.readInt32BE()))],
  [1083, 1183, reader(8, (b) => timeText(b.readBigInt64BE()))],
  [1114, 1115, reader(8, (b) => timestampText(b.readBigInt64BE()))],
  [1184, 1185, reader(8, (b) => timestampText(b.readBigInt64BE(), '+00'))],
  [1186, 1187, reader(16, (b) => intervalText(b.readBigInt64BE(), b.readInt32BE(8), b.readInt32BE(12)))],
  [1700, 1231, reader(-1, numericText)],
  [2950, 2951, reader(16, (b) => b.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))],
  [3802, 3807, reader(-1, jsonb)],
];

const READERS = new Map(TYPES.map(([oid, , read]) => [oid, read]));
const ARRAY_ELEMENTS = new Map(TYPES.map(([oid, arrayOid]) => [arrayOid, oid]));

function jsonb(bytes: Buffer): string {
  if (bytes[0] !== JSONB_VERSION) throw new RangeError('the version of the jsonb is not known');
  return utf8(bytes.subarray(1));
}

const MAX_DIMENSIONS = 6;

/**
 * Reads the array format: number of dimensions, a flag for NULLs, type of the elements; then size and lower
 * bound of each dimension; then the elements.
 */
function arrayText(bytes: Buffer): string {
  const dimensions = bytes.readInt32BE(0);
  const oid = bytes.readUInt32BE(8);
  if (dimensions === 0) return '{}';
  if (dimensions < 0 || dimensions > MAX_DIMENSIONS)
    throw new RangeError(`an array of ${dimensions} dimensions`);
  const sizes = Array.from({ length: dimensions }, (_, i) => bytes.readInt32BE(12 + 8 * i));
  if (sizes.some((size) => size < 0)) throw new RangeError('a negative size of an array');
  if (sizes.includes(0)) return '{}';
  if (4 * sizes.reduce((product, size) => product * size, 1) > bytes.length) {
    throw new RangeError('an array of more elements than there are bytes');
  }
  let at = 12 + 8 * dimensions;
  const item = (): string => {
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length === -1) return 'NULL';
    if (length < 0 || at + length > bytes.length)
      throw new RangeError('an element goes past the end of the array');
    const text = binaryText(oid, bytes.subarray(at, at + length));
    at += length;
    return `"${text.replace(/["\\]/g, '\\$&')}"`;
  };
  const level = (depth: number): string => {
    const items: string[] = [];
    for (let i = 0; i < sizes[depth]!; i += 1) items.push(depth + 1 < dimensions ? level(depth + 1) : item());
    return `{${items.join(',')}}`;
  };
  const text = level(0);
  if (at !== bytes.length) throw new RangeError('bytes after the last element of the array');
  return text;
}
