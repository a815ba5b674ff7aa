import type avsc from 'avsc';
import { BytesBuilder } from '../columns/bytes-builder.ts';
import { DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import type { MemoryBudget } from '../columns/memory-budget.ts';
import { FixedWidthBuilder } from '../columns/scalar-builders.ts';
import type { AvroColumn } from './avro-column.ts';
import type { Cursor } from './cursor.ts';
import type { AnnotatedType } from './schema.ts';

/** The maximum precision of the kernel's decimals. */
const MAX_DECIMAL_PRECISION = 38;

/**
 * Creates a function that converts Avro's big-endian two's complement of any length to the 16 little-endian
 * bytes of an Arrow decimal. The result is in the function's own buffer until its next call. It throws if a
 * value has more digits than `precision`, because the kernel would accept it and compute wrong results.
 */
function decimalConverter(
  precision: number,
): (source: Uint8Array, start: number, size: number) => Uint8Array {
  const out = new Uint8Array(16);
  const view = new DataView(out.buffer);
  const limit = 10n ** BigInt(precision);
  // Values of at most this many bytes never have more than `precision` digits.
  const safeBytes = Math.floor((limit.toString(2).length - 1) / 8);
  return (source, start, size) => {
    const fill = size > 0 && source[start]! & 0x80 ? 0xff : 0;
    out.fill(fill);
    for (let i = 0; i < size; i++) {
      const byte = source[start + size - 1 - i]!;
      if (i < 16) out[i] = byte;
      else if (byte !== fill) tooManyDigits(precision);
    }
    if (size > 16 && (out[15]! & 0x80) !== (fill & 0x80)) tooManyDigits(precision);
    if (size > safeBytes) {
      const value = (view.getBigInt64(8, true) << 64n) | view.getBigUint64(0, true);
      if (value >= limit || value <= -limit) tooManyDigits(precision);
    }
    return out;
  };
}

/** The digits of a decimal that is too wide for any numeric type of the kernel. */
function decimalText(bytes: Uint8Array, scale: number): string {
  const unsigned = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  const value = BigInt.asIntN(bytes.length * 8, unsigned);
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${value < 0n ? '-' : ''}${whole}${scale > 0 ? `.${digits.slice(digits.length - scale)}` : ''}`;
}

function tooManyDigits(precision: number): never {
  throw new DecodeError(`a decimal has more than the ${precision} digits of its type`);
}

const DAY_MICROSECONDS = 86_400_000_000n;
/** The years 290309 BC to 294246 AD, the range of the kernel's timestamps. */
const MIN_TIMESTAMP = -9_223_372_022_400_000_000n;
const MAX_TIMESTAMP = 9_223_372_036_854_775_806n;
/** The maximum precision of a decimal read as text; no decimal format has more digits. */
const MAX_TEXT_PRECISION = 1000;

/**
 * The column of a logical type; undefined if it does not match the underlying type, because Avro requires
 * that it is ignored then.
 */
export function logicalColumn(type: AnnotatedType, budget: MemoryBudget): AvroColumn | undefined {
  const base = type.underlyingType.typeName;
  const name = type.attributes.logicalType;
  if (name === 'decimal') return decimalColumn(type, budget);
  if (name === 'uuid') return uuidColumn(type.underlyingType, budget);
  if (name === 'duration') return durationColumn(type.underlyingType, budget);
  if (name === 'date') return base === 'int' ? dateColumn(budget) : undefined;
  if (name === 'time-millis') return base === 'int' ? timeColumn(1000n, budget) : undefined;
  if (base !== 'long') return undefined;
  if (name === 'time-micros') return timeColumn(1n, budget);
  const kind = name.startsWith('local-') ? 'timestamp' : 'timestamptz';
  if (name.endsWith('-millis')) return timestampColumn(kind, (value) => value * 1000n, budget);
  if (name.endsWith('-micros')) return timestampColumn(kind, (value) => value, budget);
  return timestampColumn(kind, floorToMicroseconds, budget);
}

function decimalColumn(type: AnnotatedType, budget: MemoryBudget): AvroColumn | undefined {
  const { precision, scale = 0 } = type.attributes;
  const size = fixedSize(type.underlyingType);
  if (size === undefined && type.underlyingType.typeName !== 'bytes') return undefined;
  if (!Number.isInteger(precision) || !Number.isInteger(scale)) return undefined;
  const [digits, places] = [precision as number, scale as number];
  if (digits < 1 || places < 0 || places > digits) return undefined;
  if (digits > MAX_DECIMAL_PRECISION) return wideDecimalColumn(digits, places, size, budget);
  const builder = new FixedWidthBuilder({ kind: 'decimal', precision: digits, scale: places }, 16, budget);
  const convert = decimalConverter(digits);
  const read = (cursor: Cursor) => {
    const length = size ?? cursor.readByteLength();
    builder.appendBytes(convert(cursor.bytes, cursor.skip(length), length), 0);
  };
  return { builder, minBytes: size ?? 1, read };
}

/**
 * Reads the decimal as text, which keeps every digit. A double would round, and an error would make the other
 * columns unreadable.
 */
function wideDecimalColumn(
  precision: number,
  scale: number,
  size: number | undefined,
  budget: MemoryBudget,
): AvroColumn {
  if (precision > MAX_TEXT_PRECISION) throw new UnsupportedError(`A decimal of ${precision} digits`);
  const builder = new BytesBuilder('text', budget);
  const read = (cursor: Cursor) => {
    const length = size ?? cursor.readByteLength();
    // Converting bytes to digits takes quadratic time.
    if (length > MAX_TEXT_PRECISION) throw new DecodeError(`a decimal of ${length} bytes`);
    const start = cursor.skip(length);
    const text = Buffer.from(decimalText(cursor.bytes.subarray(start, start + length), scale));
    builder.append(text, 0, text.length);
  };
  return { builder, minBytes: size ?? 1, read };
}

function uuidColumn(base: avsc.Type, budget: MemoryBudget): AvroColumn | undefined {
  if (fixedSize(base) !== 16) return undefined;
  const builder = new BytesBuilder('text', budget);
  const read = (cursor: Cursor) => {
    const start = cursor.skip(16);
    const hex = Buffer.from(cursor.bytes.subarray(start, start + 16)).toString('hex');
    const text = Buffer.from(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
    builder.append(text, 0, text.length);
  };
  return { builder, minBytes: 16, read };
}

function durationColumn(base: avsc.Type, budget: MemoryBudget): AvroColumn | undefined {
  if (fixedSize(base) !== 12) return undefined;
  const builder = new FixedWidthBuilder({ kind: 'interval' }, 16, budget);
  const value = new DataView(new ArrayBuffer(16));
  const bytes = new Uint8Array(value.buffer);
  const read = (cursor: Cursor) => {
    const start = cursor.skip(12);
    const months = cursor.view.getUint32(start, true);
    const days = cursor.view.getUint32(start + 4, true);
    if (months > 0x7fffffff || days > 0x7fffffff) throw new DecodeError('a duration is out of range');
    value.setInt32(0, months, true);
    value.setInt32(4, days, true);
    value.setBigInt64(8, BigInt(cursor.view.getUint32(start + 8, true)) * 1_000_000n, true);
    builder.appendBytes(bytes, 0);
  };
  return { builder, minBytes: 12, read };
}

function dateColumn(budget: MemoryBudget): AvroColumn {
  const builder = new FixedWidthBuilder({ kind: 'date' }, 4, budget);
  const read = (cursor: Cursor) => {
    const days = cursor.readInt();
    // The kernel reserves both ends of the range for infinity.
    if (days <= -0x7fffffff || days === 0x7fffffff) throw new DecodeError('a date is out of range');
    builder.appendInt32(days);
  };
  return { builder, minBytes: 1, read };
}

function timeColumn(microseconds: bigint, budget: MemoryBudget): AvroColumn {
  const builder = new FixedWidthBuilder({ kind: 'time' }, 8, budget);
  const read = (cursor: Cursor) => {
    const value = readBigInt(cursor) * microseconds;
    if (value < 0n || value > DAY_MICROSECONDS) throw new DecodeError('a time of day is out of range');
    builder.appendBigInt64(value);
  };
  return { builder, minBytes: 1, read };
}

function timestampColumn(
  kind: 'timestamp' | 'timestamptz',
  toMicroseconds: (value: bigint) => bigint,
  budget: MemoryBudget,
): AvroColumn {
  const builder = new FixedWidthBuilder({ kind }, 8, budget);
  const read = (cursor: Cursor) => {
    const value = toMicroseconds(readBigInt(cursor));
    if (value < MIN_TIMESTAMP || value > MAX_TIMESTAMP) throw new DecodeError('a timestamp is out of range');
    builder.appendBigInt64(value);
  };
  return { builder, minBytes: 1, read };
}

function readBigInt(cursor: Cursor): bigint {
  cursor.readLong();
  return (BigInt(cursor.high) << 32n) | BigInt(cursor.low >>> 0);
}

function floorToMicroseconds(nanoseconds: bigint): bigint {
  return (nanoseconds - (((nanoseconds % 1000n) + 1000n) % 1000n)) / 1000n;
}

function fixedSize(type: avsc.Type): number | undefined {
  return type.typeName === 'fixed' ? (type as avsc.types.FixedType).size : undefined;
}
