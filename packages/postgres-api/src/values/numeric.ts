import type { GrowingBytes } from './growing-bytes.ts';

/** The number of decimal digits per digit of PostgreSQL's binary numeric, whose base is 10,000. */
const DIGITS = 4;
const POSITIVE = 0x0000;
const NEGATIVE = 0x4000;
const NAN = 0xc000;
const INFINITY = 0xd000;
const MINUS_INFINITY = 0xf000;

/** Writes the numeric `unscaled / 10^scale`. */
export function writeNumeric(out: GrowingBytes, unscaled: bigint, scale: number): void {
  const sign = unscaled < 0n ? NEGATIVE : POSITIVE;
  const text = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const wholeLength = text.length - scale;
  const lead = -wholeLength & (DIGITS - 1);
  const padded = '0'.repeat(lead) + text + '0'.repeat(-scale & (DIGITS - 1));
  const groups: number[] = [];
  for (let at = 0; at < padded.length; at += DIGITS) groups.push(Number(padded.slice(at, at + DIGITS)));
  let weight = (wholeLength + lead) / DIGITS - 1;
  let first = 0;
  while (first < groups.length && groups[first] === 0) {
    first += 1;
    weight -= 1;
  }
  let last = groups.length;
  while (last > first && groups[last - 1] === 0) last -= 1;
  const isZero = first === last;
  out.int16(last - first);
  out.int16(isZero ? 0 : weight);
  out.uint16(sign);
  out.uint16(scale);
  for (let i = first; i < last; i += 1) out.uint16(groups[i]!);
}

/**
 * The text of a binary numeric.
 * @throws RangeError for invalid bytes
 */
export function numericText(bytes: Buffer): string {
  const count = bytes.readUInt16BE(0);
  const weight = bytes.readInt16BE(2);
  const sign = bytes.readUInt16BE(4);
  const scale = bytes.readUInt16BE(6);
  if (sign === NAN) return 'NaN';
  if (sign === INFINITY) return 'Infinity';
  if (sign === MINUS_INFINITY) return '-Infinity';
  if (sign !== POSITIVE && sign !== NEGATIVE) throw new RangeError('The sign of a numeric is not known');
  const group = (i: number): string => {
    if (i < 0 || i >= count) return '0000';
    const value = bytes.readUInt16BE(8 + 2 * i);
    if (value > 9999) throw new RangeError('A digit of a numeric is too large');
    return String(value).padStart(DIGITS, '0');
  };
  let whole = '';
  for (let i = 0; i <= weight; i += 1) whole += group(i);
  let fraction = '';
  for (let i = weight + 1; fraction.length < scale; i += 1) fraction += group(i);
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  return `${sign === NEGATIVE ? '-' : ''}${digits}${scale > 0 ? `.${fraction.slice(0, scale)}` : ''}`;
}
