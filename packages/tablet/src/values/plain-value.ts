import type { KernelType } from '@tessera/kernel';

/** Texts in statistics are truncated to this length. */
export const MAX_TEXT_BYTES = 64;

/** A lower bound of values as the kernel's VARCHAR; undefined if it cannot be computed. */
export function lowerBound(type: KernelType, plain: Uint8Array): string | undefined {
  return isText(type) && plain.length > MAX_TEXT_BYTES ? cutText(plain) : textOfPlain(type, plain);
}

export function upperBound(type: KernelType, plain: Uint8Array): string | undefined {
  if (!isText(type) || plain.length <= MAX_TEXT_BYTES) return textOfPlain(type, plain);
  const cut = cutText(plain);
  return cut === undefined ? undefined : textAbove(cut);
}

const isText = (type: KernelType): boolean => type.id === 'VARCHAR';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The longest prefix of complete characters within the limit. */
export function cutText(plain: Uint8Array): string | undefined {
  let end = MAX_TEXT_BYTES;
  while (end > 0 && (plain[end]! & 0xc0) === 0x80) end--;
  return decodeText(plain.subarray(0, end));
}

function decodeText(plain: Uint8Array): string | undefined {
  try {
    return strict.decode(plain);
  } catch {
    return undefined;
  }
}

/** The shortest text that is greater than every text with this prefix. */
function textAbove(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    if (last === 0x10ffff) continue;
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}

/**
 * The kernel's VARCHAR of a plain-encoded Parquet value as the kernel writes it. Undefined for types whose
 * stored order differs from their own, and for dates beyond the years 1 to 9999.
 * Source: https://github.com/apache/parquet-format/blob/master/Encodings.md#plain-plain--0
 */
function textOfPlain(type: KernelType, plain: Uint8Array): string | undefined {
  const view = new DataView(plain.buffer, plain.byteOffset, plain.byteLength);
  switch (type.id) {
    case 'BOOLEAN':
      return view.getUint8(0) === 0 ? 'false' : 'true';
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
      return String(view.getInt32(0, true));
    case 'UTINYINT':
    case 'USMALLINT':
    case 'UINTEGER':
      return String(plain.length === 8 ? view.getBigInt64(0, true) : view.getUint32(0, true));
    case 'BIGINT':
      return String(view.getBigInt64(0, true));
    case 'UBIGINT':
      return String(view.getBigUint64(0, true));
    case 'DECIMAL':
      return decimalText(unscaled(view), type.scale);
    case 'FLOAT':
      return shortestFloat(view.getFloat32(0, true));
    case 'DOUBLE':
      return floatText(view.getFloat64(0, true));
    case 'VARCHAR':
      return decodeText(plain);
    case 'BLOB':
      return plain.length <= MAX_TEXT_BYTES ? blobText(plain) : undefined;
    case 'UUID':
      return uuidText(plain);
    case 'DATE':
      return dateText(view.getInt32(0, true));
    case 'TIME':
      return clockText(view.getBigInt64(0, true) * 1000n);
    case 'TIME_NS':
      return clockText(view.getBigInt64(0, true));
    case 'TIMESTAMP':
    case 'TIMESTAMP_S':
      return momentText(view.getBigInt64(0, true), 1000n);
    case 'TIMESTAMP_MS':
      return momentText(view.getBigInt64(0, true), 1_000_000n);
    case 'TIMESTAMP_NS':
      return momentText(view.getBigInt64(0, true), 1n);
    case 'TIMESTAMPTZ': {
      const moment = momentText(view.getBigInt64(0, true), 1000n);
      return moment === undefined || moment.endsWith('infinity') ? moment : `${moment}+00`;
    }
    default:
      return undefined;
  }
}

/** Values of 4 and 8 bytes are little-endian, longer ones big-endian. */
function unscaled(view: DataView): bigint {
  if (view.byteLength === 4) return BigInt(view.getInt32(0, true));
  if (view.byteLength === 8) return view.getBigInt64(0, true);
  let value = 0n;
  for (let i = 0; i < view.byteLength; i++) value = (value << 8n) | BigInt(view.getUint8(i));
  return BigInt.asIntN(view.byteLength * 8, value);
}

function decimalText(value: bigint, scale: number): string {
  if (scale === 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function floatText(value: number): string | undefined {
  if (Number.isNaN(value)) return undefined;
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  return String(value);
}

/** The fewest digits that identify this 32-bit float. */
function shortestFloat(value: number): string | undefined {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return floatText(short);
  }
  return floatText(value);
}

function blobText(plain: Uint8Array): string {
  let text = '';
  for (const byte of plain) {
    const regular = byte >= 32 && byte <= 126 && byte !== 0x5c && byte !== 0x27 && byte !== 0x22;
    text += regular ? String.fromCharCode(byte) : `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

function uuidText(plain: Uint8Array): string | undefined {
  if (plain.length !== 16) return undefined;
  const hex = Buffer.from(plain).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const INFINITE_DAY = 2_147_483_647;
const DAY_MS = 86_400_000;

function dateText(days: number): string | undefined {
  if (days === INFINITE_DAY) return 'infinity';
  if (days === -INFINITE_DAY) return '-infinity';
  return isoDate(days * DAY_MS);
}

function isoDate(ms: number): string | undefined {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString().slice(0, 10) : undefined;
}

const INFINITE_MOMENT = 9_223_372_036_854_775_807n;
const DAY_NS = 86_400_000_000_000n;

function momentText(value: bigint, nanosPerUnit: bigint): string | undefined {
  if (value === INFINITE_MOMENT) return 'infinity';
  if (value === -INFINITE_MOMENT) return '-infinity';
  const nanos = value * nanosPerUnit;
  const sinceMidnight = ((nanos % DAY_NS) + DAY_NS) % DAY_NS;
  const date = isoDate(Number((nanos - sinceMidnight) / 1_000_000n));
  return date === undefined ? undefined : `${date} ${clockText(sinceMidnight)}`;
}

function clockText(nanos: bigint): string {
  const seconds = Number(nanos / 1_000_000_000n);
  const fraction = String(nanos % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const two = (n: number) => String(n).padStart(2, '0');
  const whole = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
