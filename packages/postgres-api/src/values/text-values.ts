import type { SqlType } from '@tessera/sql';
import type { Data } from 'apache-arrow';
import {
  ByteCells,
  byteCells,
  bytesOf,
  type Cells,
  FixedCells,
  isNull,
  offsetsOf,
  SizedCells,
  validityOf,
} from './cells.ts';

const code = (character: string): number => character.charCodeAt(0);
const [ZERO, POINT, MINUS, SPACE, PARENTHESIS] = [code('0'), code('.'), code('-'), code(' '), code('(')];
const [BACKSLASH, LETTER_X] = [code('\\'), code('x')];
const [TRUE, FALSE] = [code('t'), code('f')];
const HEX_DIGITS = Buffer.from('0123456789abcdef');
const MAX_INT32 = 2 ** 31 - 1;

/** The size in bytes of the shortest date, `2024-02-29`. */
const DATE_BYTES = 10;

/** The digits before the point from which on PostgreSQL writes a number with an exponent. */
const EXPONENT_DIGITS = { float: 7, double: 16 } as const;
const NON_FINITE: Readonly<Record<string, string>> = {
  nan: 'NaN',
  '-nan': 'NaN',
  inf: 'Infinity',
  '-inf': '-Infinity',
};

/** The cells of a column in text format, from the values or texts that `postgresRowsQuery` asks the kernel for. */
export function textCells(type: SqlType, data: Data, from: number, to: number): Cells {
  switch (type.kind) {
    case 'boolean':
      return booleanCells(data);
    case 'int':
    case 'long':
      return integerCells(data);
    case 'bytea':
      return hexCells(data);
    case 'float':
    case 'double':
      return rewrittenCells(data, from, to, numberText(EXPONENT_DIGITS[type.kind]));
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return rewrittenCells(data, from, to, eraText);
    default:
      return byteCells(data);
  }
}

function booleanCells(data: Data): Cells {
  const values = data.values as Uint8Array;
  return new FixedCells(1, validityOf(data), (view, at, row) =>
    view.setUint8(at, (values[row >> 3]! >> (row & 7)) & 1 ? TRUE : FALSE),
  );
}

function integerCells(data: Data): Cells {
  const values: Int32Array | BigInt64Array = data.values;
  const numberAt = values instanceof BigInt64Array ? longReader(values) : (row: number) => values[row]!;
  return new SizedCells(
    validityOf(data),
    (row) => integerSize(numberAt(row)),
    (out, at, end, row) => putInteger(out, at, end, numberAt(row)),
  );
}

/** Reads exact numbers from the high and the low half, because a bigint takes longer. */
function longReader(values: BigInt64Array): (row: number) => number | bigint {
  const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  return (row) => {
    const low = halves[2 * row]!;
    const high = halves[2 * row + 1]!;
    if (high === low >> 31) return low;
    const value = high * 2 ** 32 + (low >>> 0);
    return Number.isSafeInteger(value) ? value : values[row]!;
  };
}

function integerSize(value: number | bigint): number {
  if (typeof value === 'bigint') return String(value).length;
  const rest = Math.abs(value);
  let size = value < 0 ? 2 : 1;
  for (let power = 10; power <= rest; power *= 10) size += 1;
  return size;
}

function putInteger(out: Buffer, at: number, end: number, value: number | bigint): void {
  if (typeof value === 'bigint') {
    out.write(String(value), at, 'latin1');
    return;
  }
  if (value < 0) out[at] = MINUS;
  let rest = Math.abs(value);
  let place = end;
  for (; rest > MAX_INT32; place -= 1) {
    const next = Math.floor(rest / 10);
    out[place - 1] = ZERO + (rest - 10 * next);
    rest = next;
  }
  // Integer division is faster.
  do {
    const next = (rest / 10) | 0;
    out[--place] = ZERO + (rest - 10 * next);
    rest = next;
  } while (rest > 0);
}

/** `\x` and two digits for each byte. */
function hexCells(data: Data): Cells {
  const bytes = data.values as Uint8Array;
  const offsets = offsetsOf(data);
  return new SizedCells(
    validityOf(data),
    (row) => 2 + 2 * (offsets[row + 1]! - offsets[row]!),
    (out, start, _end, row) => {
      let at = start;
      out[at++] = BACKSLASH;
      out[at++] = LETTER_X;
      for (let i = offsets[row]!; i < offsets[row + 1]!; i += 1) {
        out[at++] = HEX_DIGITS[bytes[i]! >> 4]!;
        out[at++] = HEX_DIGITS[bytes[i]! & 15]!;
      }
    },
  );
}

/**
 * PostgreSQL's text for the kernel's text from `start` to `end` (exclusive) of `bytes`; a number if it is the part up to there.
 */
type Rewrite = (bytes: Buffer, start: number, end: number) => number | string;

function rewrittenCells(data: Data, from: number, to: number, rewrite: Rewrite): Cells {
  const bytes = bytesOf(data);
  const offsets = offsetsOf(data);
  const validity = validityOf(data);
  const ends = new Uint32Array(to - from);
  for (let row = from; row < to; row += 1) {
    if (isNull(validity, row)) continue;
    const text = rewrite(bytes, offsets[row]!, offsets[row + 1]!);
    if (typeof text === 'string') return copiedCells(data, from, to, rewrite);
    ends[row - from] = text;
  }
  return new ByteCells(bytes, offsets, validity, ends);
}

/** Few columns have texts that are more than a part of the kernel's. */
function copiedCells(data: Data, from: number, to: number, rewrite: Rewrite): Cells {
  const bytes = bytesOf(data);
  const offsets = offsetsOf(data);
  const validity = validityOf(data);
  const texts = Array.from({ length: to - from }, (_, i) => {
    const [start, end] = [offsets[from + i]!, offsets[from + i + 1]!];
    const text = isNull(validity, from + i) ? '' : rewrite(bytes, start, end);
    return typeof text === 'string' ? text : bytes.toString('latin1', start, text);
  });
  return new SizedCells(
    validity,
    (row) => texts[row - from]!.length,
    (out, at, _end, row) => void out.write(texts[row - from]!, at, 'latin1'),
  );
}

/** PostgreSQL writes integral numbers without a fraction, and large ones with an exponent. */
function numberText(exponentDigits: number): Rewrite {
  return (bytes, start, end) => {
    let point = start;
    while (point < end && bytes[point] !== POINT) point += 1;
    const digits = point - start - (bytes[start] === MINUS ? 1 : 0);
    if (digits >= exponentDigits) return scientific(bytes.toString('latin1', start, end));
    if (point === end - 2 && bytes[point + 1] === ZERO) return point;
    // Numbers without a point have an exponent, or are not finite.
    return point < end ? end : (NON_FINITE[bytes.toString('latin1', start, end)] ?? end);
  };
}

/** `-1234567.5` has the digits `12345675`, of which seven stand before the point. */
function scientific(text: string): string {
  const [, sign, whole, fraction] = /^(-?)(\d+)\.(\d+)$/.exec(text)!;
  const digits = `${whole}${fraction}`.replace(/0+$/, '');
  const rest = digits.slice(1);
  const exponent = String(whole!.length - 1).padStart(2, '0');
  return `${sign}${digits[0]}${rest === '' ? '' : `.${rest}`}e+${exponent}`;
}

/** PostgreSQL writes `0044-03-15 01:02:03 BC`, the kernel `0044-03-15 (BC) 01:02:03`. */
const eraText: Rewrite = (bytes, start, end) => {
  let at = start + DATE_BYTES;
  while (at < end && bytes[at] !== SPACE) at += 1;
  if (at >= end || bytes[at + 1] !== PARENTHESIS) return end;
  return `${bytes.toString('latin1', start, end).replace(' (BC)', '')} BC`;
};
