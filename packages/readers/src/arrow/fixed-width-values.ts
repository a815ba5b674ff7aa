import * as arrow from 'apache-arrow';
import { type ColumnType, DecodeError, type ScalarKind, UnsupportedError } from '../columns/column-batch.ts';
import { isSet } from './bits.ts';

/** How fixed-width values are read: copied unchanged, or converted one by one to another width. */
export interface FixedWidthLayout {
  readonly type: ColumnType;
  readonly sourceBytes: number;
  readonly targetBytes: number;
  /**
   * Absent if the bytes are copied; called for valid values only. Throws DecodeError for a value out of
   * range.
   */
  readonly convert?: (source: DataView, sourceAt: number, target: DataView, targetAt: number) => void;
}

const MIN_TIMESTAMP = -9_223_372_022_400_000_000n;
const MAX_TIMESTAMP = 9_223_372_036_854_775_806n;
/** The kernel's own infinities, which it also exports to Arrow. */
const INFINITIES = [9_223_372_036_854_775_807n, -9_223_372_036_854_775_807n];
const DAY_MICROSECONDS = 86_400_000_000n;
const INT64_MAX = 9_223_372_036_854_775_807n;
const NANOSECONDS = [1_000_000_000n, 1_000_000n, 1000n, 1n] as const;

/** Undefined for types without a fixed width. */
export function fixedWidthLayout(type: arrow.DataType): FixedWidthLayout | undefined {
  if (arrow.DataType.isInt(type)) {
    known(type.bitWidth, [8, 16, 32, 64]);
    return same(`${type.isSigned ? '' : 'u'}int${type.bitWidth}` as ScalarKind, type.bitWidth / 8);
  }
  if (arrow.DataType.isFloat(type)) return floatLayout(type);
  if (arrow.DataType.isDecimal(type)) return decimalLayout(type);
  if (arrow.DataType.isDate(type))
    return type.unit === arrow.DateUnit.DAY ? same('date', 4) : dateMillisecond;
  if (arrow.DataType.isTime(type)) return timeLayout(type);
  if (arrow.DataType.isTimestamp(type)) return timestampLayout(type);
  if (arrow.DataType.isDuration(type)) return durationLayout(type);
  if (arrow.DataType.isInterval(type)) return intervalLayout(type);
  return undefined;
}

/** Applies a layout to the bytes of `count` values. Null slots become zero if values are converted. */
export function convertValues(
  layout: FixedWidthLayout,
  source: Uint8Array<ArrayBuffer>,
  validity: Uint8Array | undefined,
  count: number,
): Uint8Array<ArrayBuffer> {
  const { convert, sourceBytes, targetBytes } = layout;
  if (convert === undefined) return source;
  const target = new Uint8Array(count * targetBytes);
  const from = new DataView(source.buffer);
  const to = new DataView(target.buffer);
  for (let i = 0; i < count; i++) {
    if (isSet(validity, i)) convert(from, i * sourceBytes, to, i * targetBytes);
  }
  return target;
}

/** Checks widths and units, which come from the file. */
function known(value: number, values: readonly number[]): void {
  if (!values.includes(value)) throw new DecodeError(`a type of an unknown width or unit (${value})`);
}

function nanosecondsOf(unit: number): bigint {
  known(unit, [0, 1, 2, 3]);
  return NANOSECONDS[unit]!;
}

function same(kind: ScalarKind, bytes: number): FixedWidthLayout {
  return { type: { kind }, sourceBytes: bytes, targetBytes: bytes };
}

function floatLayout(type: arrow.Float): FixedWidthLayout {
  if (type.precision === arrow.Precision.SINGLE) return same('float32', 4);
  if (type.precision === arrow.Precision.DOUBLE) return same('float64', 8);
  known(type.precision, [arrow.Precision.HALF]);
  return {
    type: { kind: 'float32' },
    sourceBytes: 2,
    targetBytes: 4,
    convert: (source, at, target, to) =>
      target.setFloat32(to, halfToNumber(source.getUint16(at, true)), true),
  };
}

function halfToNumber(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * 2 ** -24 * fraction;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * 2 ** (exponent - 25) * (fraction + 1024);
}

function decimalLayout(type: arrow.Decimal): FixedWidthLayout {
  const { precision, scale, bitWidth } = type;
  if (precision < 1 || precision > 38 || scale < 0 || scale > precision) {
    throw new UnsupportedError(`The Arrow type decimal(${precision}, ${scale})`);
  }
  known(bitWidth, [32, 64, 128, 256]);
  const words = bitWidth / 64;
  const limit = 10n ** BigInt(precision);
  return {
    type: { kind: 'decimal', precision, scale },
    sourceBytes: bitWidth / 8,
    targetBytes: 16,
    convert: (source, at, target, to) => {
      const low = bitWidth === 32 ? BigInt(source.getInt32(at, true)) : source.getBigUint64(at, true);
      let value = words <= 1 ? BigInt.asIntN(64, low) : (source.getBigInt64(at + 8, true) << 64n) | low;
      if (words === 4) {
        const top = (source.getBigInt64(at + 24, true) << 64n) | source.getBigUint64(at + 16, true);
        value = (top << 128n) | BigInt.asUintN(128, value);
      }
      if (value >= limit || value <= -limit) {
        throw new DecodeError(`a decimal has more than the ${precision} digits of its type`);
      }
      target.setBigUint64(to, BigInt.asUintN(64, value), true);
      target.setBigInt64(to + 8, value >> 64n, true);
    },
  };
}

const dateMillisecond: FixedWidthLayout = {
  type: { kind: 'date' },
  sourceBytes: 8,
  targetBytes: 4,
  convert: (source, at, target, to) => {
    const milliseconds = source.getBigInt64(at, true);
    const days = Math.floor(Number(milliseconds) / 86_400_000);
    if (Math.abs(days) >= 0x7fffffff) throw new DecodeError('a date is out of range');
    target.setInt32(to, days, true);
  },
};

function timeLayout(type: arrow.Time): FixedWidthLayout {
  const nanoseconds = nanosecondsOf(type.unit);
  known(type.bitWidth, type.unit < arrow.TimeUnit.MICROSECOND ? [32] : [64]);
  const wide = type.bitWidth === 64;
  return {
    type: { kind: 'time' },
    sourceBytes: wide ? 8 : 4,
    targetBytes: 8,
    convert: (source, at, target, to) => {
      const value = wide ? source.getBigInt64(at, true) : BigInt(source.getInt32(at, true));
      const microseconds = (value * nanoseconds) / 1000n;
      if (value < 0n || microseconds > DAY_MICROSECONDS)
        throw new DecodeError('a time of day is out of range');
      target.setBigInt64(to, microseconds, true);
    },
  };
}

function timestampLayout(type: arrow.Timestamp): FixedWidthLayout {
  const nanoseconds = nanosecondsOf(type.unit);
  return {
    type: { kind: type.timezone ? 'timestamptz' : 'timestamp' },
    sourceBytes: 8,
    targetBytes: 8,
    convert: (source, at, target, to) => {
      const value = source.getBigInt64(at, true);
      const scaled = value * nanoseconds;
      const microseconds = (scaled - (((scaled % 1000n) + 1000n) % 1000n)) / 1000n;
      const fits = microseconds >= MIN_TIMESTAMP && microseconds <= MAX_TIMESTAMP;
      if (!fits && !(nanoseconds === 1000n && INFINITIES.includes(value))) {
        throw new DecodeError('a timestamp is out of range');
      }
      target.setBigInt64(to, microseconds, true);
    },
  };
}

function durationLayout(type: arrow.Duration): FixedWidthLayout {
  const unit = nanosecondsOf(type.unit);
  return {
    type: { kind: 'interval' },
    sourceBytes: 8,
    targetBytes: 16,
    convert: (source, at, target, to) => {
      const nanoseconds = source.getBigInt64(at, true) * unit;
      if (nanoseconds > INT64_MAX || nanoseconds < -INT64_MAX)
        throw new DecodeError('a duration is out of range');
      target.setBigInt64(to + 8, nanoseconds, true);
    },
  };
}

function intervalLayout(type: arrow.Interval): FixedWidthLayout {
  known(type.unit, [0, 1, 2]);
  if (type.unit === arrow.IntervalUnit.MONTH_DAY_NANO) return same('interval', 16);
  const days = type.unit === arrow.IntervalUnit.DAY_TIME;
  return {
    type: { kind: 'interval' },
    sourceBytes: days ? 8 : 4,
    targetBytes: 16,
    convert: (source, at, target, to) => {
      target.setInt32(to + (days ? 4 : 0), source.getInt32(at, true), true);
      if (days) target.setBigInt64(to + 8, BigInt(source.getInt32(at + 4, true)) * 1_000_000n, true);
    },
  };
}
