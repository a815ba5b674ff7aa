import { TesseraError } from '@tessera/common';
import type { SqlType } from '@tessera/sql';
import { type Data, DataType } from 'apache-arrow';
import {
  ByteCells,
  byteCells,
  type Cells,
  FixedCells,
  isNull,
  offsetsOf,
  type Validity,
  validityOf,
} from './cells.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { writeNumeric } from './numeric.ts';
import { elementOid } from './type-oids.ts';

/** Days and microseconds from 1970, Arrow's epoch, to 2000, PostgreSQL's epoch. */
const EPOCH_DAYS = 10_957;
const EPOCH_MICROS = BigInt(EPOCH_DAYS) * 86_400_000_000n;

/** The values for infinity in the kernel and in PostgreSQL. */
const MAX_INT32 = 2 ** 31 - 1;
const MIN_INT32 = -(2 ** 31);
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** The cells of a column in binary format; text columns are Utf8. */
export function binaryCells(type: SqlType, data: Data, from: number, to: number): Cells {
  const validity = validityOf(data);
  const fixed = fixedValue(type, data);
  if (fixed !== undefined) return new FixedCells(fixed.width, validity, fixed.put);
  if (type.kind === 'decimal' || type.kind === 'array') return encodedCells(type, data, from, to);
  return byteCells(data);
}

interface FixedValue {
  readonly width: number;
  put(view: DataView, at: number, row: number): void;
}

function fixedValue(type: SqlType, { values }: Data): FixedValue | undefined {
  const { kind } = type;
  if ('postgres' in type && type.postgres === 'oid') {
    return {
      width: 4,
      put: (view, at, row) => view.setUint32(at, Number((values as BigInt64Array)[row]!)),
    };
  }
  if ('postgres' in type && type.postgres === 'int2')
    return { width: 2, put: (view, at, row) => view.setInt16(at, smallint((values as Int32Array)[row]!)) };
  switch (kind) {
    case 'int':
      return { width: 4, put: (view, at, row) => view.setInt32(at, (values as Int32Array)[row]!) };
    case 'long':
      return { width: 8, put: (view, at, row) => view.setBigInt64(at, (values as BigInt64Array)[row]!) };
    case 'float':
      return { width: 4, put: (view, at, row) => view.setFloat32(at, (values as Float32Array)[row]!) };
    case 'double':
      return { width: 8, put: (view, at, row) => view.setFloat64(at, (values as Float64Array)[row]!) };
    case 'boolean':
      return {
        width: 1,
        put: (view, at, row) => view.setUint8(at, ((values as Uint8Array)[row >> 3]! >> (row & 7)) & 1),
      };
    case 'date':
      return { width: 4, put: (view, at, row) => view.setInt32(at, dateOf((values as Int32Array)[row]!)) };
    case 'timestamp':
    case 'timestamptz':
      return {
        width: 8,
        put: (view, at, row) => view.setBigInt64(at, timestampOf((values as BigInt64Array)[row]!)),
      };
    default:
      return undefined;
  }
}

/** @throws TesseraError OUT_OF_RANGE, because a column of type smallint may hold any integer */
function smallint(value: number): number {
  if (value === (value << 16) >> 16) return value;
  const message = `${value} in a column of type smallint has no binary form: cast the column to integer`;
  throw TesseraError.of('OUT_OF_RANGE', { message });
}

function dateOf(days: number): number {
  if (days === MAX_INT32) return MAX_INT32;
  return days <= -MAX_INT32 ? MIN_INT32 : days - EPOCH_DAYS;
}

function timestampOf(micros: bigint): bigint {
  if (micros === MAX_INT64) return MAX_INT64;
  return micros <= -MAX_INT64 ? MIN_INT64 : micros - EPOCH_MICROS;
}

/** Cells for values that must be encoded before their length is known. */
function encodedCells(type: SqlType, data: Data, from: number, to: number): Cells {
  const out = new GrowingBytes();
  const write = valueWriter(type, data);
  const validity = validityOf(data);
  const offsets = new Uint32Array(to + 1);
  for (let row = from; row < to; row += 1) {
    if (!isNull(validity, row)) write(out, row);
    offsets[row + 1] = out.length;
  }
  return new ByteCells(out.bytes, offsets, validity);
}

type ValueWriter = (out: GrowingBytes, row: number) => void;

function valueWriter(type: SqlType, data: Data): ValueWriter {
  const fixed = fixedValue(type, data);
  if (fixed !== undefined) {
    return (out, row) => out.fixed(fixed.width, (view, at) => fixed.put(view, at, row));
  }
  if (type.kind === 'decimal') return decimalWriter(type.scale, data);
  if (type.kind === 'array') return arrayWriter(type, data);
  const offsets = offsetsOf(data);
  const bytes = data.values as Uint8Array;
  return (out, row) => out.append(bytes.subarray(offsets[row], offsets[row + 1]));
}

function decimalWriter(scale: number, data: Data): ValueWriter {
  if (!DataType.isDecimal(data.type)) throw new Error(`A decimal came as ${data.type}`);
  const words = data.values as Uint32Array;
  const perValue = data.type.bitWidth / 32;
  return (out, row) => {
    let value = BigInt(words[row * perValue + perValue - 1]! | 0);
    for (let i = perValue - 2; i >= 0; i -= 1) value = (value << 32n) | BigInt(words[row * perValue + i]!);
    writeNumeric(out, value, scale);
  };
}

/** A nested array: the range of its elements in the next level. */
interface Level {
  readonly offsets: Int32Array;
  readonly validity: Validity;
}

function arrayWriter(type: Extract<SqlType, { kind: 'array' }>, data: Data): ValueWriter {
  const levels: Level[] = [];
  let element: SqlType = type;
  let values = data;
  while (element.kind === 'array') {
    levels.push({ offsets: offsetsOf(values), validity: validityOf(values) });
    element = element.element;
    values = values.children[0]!;
  }
  const write = valueWriter(element, values);
  const validity = validityOf(values);
  const oid = elementOid(type);
  return (out, row) => {
    const { sizes, start, end } = shapeOf(levels, row);
    out.int32(sizes.length);
    let hasNull = 0;
    for (let i = start; i < end; i += 1) if (isNull(validity, i)) hasNull = 1;
    out.int32(hasNull);
    out.int32(oid);
    for (const size of sizes) {
      out.int32(size);
      out.int32(1);
    }
    for (let i = start; i < end; i += 1) {
      if (isNull(validity, i)) {
        out.int32(-1);
        continue;
      }
      const at = out.length;
      out.int32(0);
      write(out, i);
      out.setInt32(at, out.length - at - 4);
    }
  };
}

/**
 * The sizes of an array by dimension, and the range of its elements in the innermost level. An empty array
 * has no dimensions.
 * @throws TesseraError NOT_SUPPORTED for nested arrays that are NULL or differ in length, which have no
 * binary form
 */
function shapeOf(levels: readonly Level[], row: number): { sizes: number[]; start: number; end: number } {
  const sizes: number[] = [];
  let [start, end] = [row, row + 1];
  for (const { offsets, validity } of levels) {
    const size = offsets[start + 1]! - offsets[start]!;
    for (let i = start; i < end; i += 1) {
      if (isNull(validity, i) || offsets[i + 1]! - offsets[i]! !== size) {
        const what = 'An array of arrays of different lengths in binary format';
        throw TesseraError.of('NOT_SUPPORTED', { what, hint: 'ask for it as text' });
      }
    }
    if (size === 0) return { sizes: [], start: 0, end: 0 };
    sizes.push(size);
    [start, end] = [offsets[start]!, offsets[end]!];
  }
  return { sizes, start, end };
}
