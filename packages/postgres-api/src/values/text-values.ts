import { integerSize, longReader, putHex, putInteger } from '@tessera/common';
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

/** `\x` and two digits for each byte. */
function hexCells(data: Data): Cells {
  const bytes = data.values as Uint8Array;
  const offsets = offsetsOf(data);
  return new SizedCells(
    validityOf(data),
    (row) => 2 + 2 * (offsets[row + 1]! - offsets[row]!),
    (out, at, _end, row) => {
      out[at] = BACKSLASH;
      out[at + 1] = LETTER_X;
      putHex(out, at + 2, bytes, offsets[row]!, offsets[row + 1]!);
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
