import { dateText, timestampText, timeText } from '../table/time-text.ts';

/** A value of a primitive type in Avro, such as a partition, as the kernel's VARCHAR; undefined if it has no text here. */
export function avroText(type: string, value: unknown): string | undefined {
  if (Buffer.isBuffer(value)) return binaryText(type, value) ?? bytesText(type, value);
  switch (type) {
    case 'boolean':
    case 'int':
    case 'long':
    case 'string':
    case 'float':
    case 'double':
      return typeof value === 'number' && !Number.isFinite(value) ? undefined : String(value);
    case 'date':
      return dateText(Number(value));
    default:
      return typeof value === 'bigint' || typeof value === 'number'
        ? momentText(type, BigInt(value))
        : undefined;
  }
}

/** Not for bounds: writers differ in the order of these types. */
function binaryText(type: string, bytes: Buffer): string | undefined {
  const digits = bytes.toString('hex');
  if (type === 'uuid') return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return type === 'binary' || type.startsWith('fixed[') ? digits.replace(/../g, '\\x$&') : undefined;
}

function momentText(type: string, value: bigint): string | undefined {
  switch (type) {
    case 'time':
      return timeText(value);
    case 'timestamp':
      return timestampText(value);
    case 'timestamptz': {
      const text = timestampText(value);
      return text && `${text}+00`;
    }
    case 'timestamp_ns':
    case 'timestamptz_ns': {
      const nanos = value % 1_000n;
      const rest = nanos < 0n ? nanos + 1_000n : nanos;
      const micros = (value - rest) / 1_000n;
      if (type === 'timestamptz_ns') return momentText('timestamptz', micros);
      const text = timestampText(micros);
      return text && text + String(rest).padStart(3, '0');
    }
    default:
      return undefined;
  }
}

/**
 * A bound of a column in its binary form; undefined if the type has no text here. A column that was widened from `int` to
 * `long` or from `float` to `double` has bounds of either size.
 * Source: https://iceberg.apache.org/spec/#binary-single-value-serialization
 */
export function bytesText(type: string, bytes: Buffer): string | undefined {
  const decimal = /^decimal\(\s*\d+\s*,\s*(\d+)\s*\)$/.exec(type);
  if (decimal !== null) return decimalText(bytes, Number(decimal[1]));
  switch (type) {
    case 'boolean':
      return bytes.length === 1 ? String(bytes[0] !== 0) : undefined;
    case 'int':
    case 'long':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamptz': {
      const value = integer(bytes);
      return value === undefined ? undefined : avroText(type, value);
    }
    case 'float':
    case 'double':
      return bytes.length === 4
        ? avroText(type, bytes.readFloatLE())
        : bytes.length === 8
          ? avroText(type, bytes.readDoubleLE())
          : undefined;
    case 'string':
      return bytes.toString('utf8');
    default:
      return undefined;
  }
}

const integer = (bytes: Buffer): bigint | undefined =>
  bytes.length === 4 ? BigInt(bytes.readInt32LE()) : bytes.length === 8 ? bytes.readBigInt64LE() : undefined;

/** The unscaled value is a big-endian integer in two's complement. */
function decimalText(bytes: Buffer, scale: number): string | undefined {
  if (bytes.length === 0) return undefined;
  const unscaled = BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const sign = unscaled < 0n ? '-' : '';
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The first and the last value of the source column, as texts, that a transform maps to values from `low` to `high`. */
export function sourceRange(
  transform: string,
  type: string,
  low: unknown,
  high: unknown,
): { readonly min?: string | undefined; readonly max?: string | undefined } | undefined {
  if (transform === 'identity') return { min: textOf(type, low), max: textOf(type, high) };
  const unit = /^(?:year|month|day|hour)s?$/.exec(transform)?.[0].replace(/s$/, '');
  if (unit !== undefined && /^(?:date|timestamp|timestamptz)$/.test(type)) {
    const [first, next] = [startOf(unit, intOf(low)), startOf(unit, intOf(high) + 1)];
    const day = type === 'date' && unit !== 'hour';
    return {
      min: day ? dateText(Number(first / DAY)) : momentText(type, first),
      max: day ? dateText(Number(next / DAY) - 1) : momentText(type, next - 1n),
    };
  }
  const width = /^truncate\[(\d+)\]$/.exec(transform)?.[1];
  if (width !== undefined && (type === 'int' || type === 'long')) {
    const [min, last] = [textOf(type, low), textOf(type, high)];
    return { min, max: last && String(BigInt(last) + BigInt(width) - 1n) };
  }
  // A text begins with its truncated value, which is therefore not larger.
  if (width !== undefined && type === 'string') return { min: textOf(type, low) };
  return undefined;
}

const DAY = 86_400_000_000n;

const textOf = (type: string, value: unknown): string | undefined =>
  Buffer.isBuffer(value) ? bytesText(type, value) : avroText(type, value);

/** The result of a transform of time, which is an int. */
const intOf = (value: unknown): number => (Buffer.isBuffer(value) ? value.readInt32LE() : Number(value));

/** The beginning of the year, month, day or hour with this number since 1970, in microseconds. */
function startOf(unit: string, count: number): bigint {
  if (unit === 'hour') return (BigInt(count) * DAY) / 24n;
  if (unit === 'day') return BigInt(count) * DAY;
  const months = unit === 'year' ? count * 12 : count;
  return BigInt(Date.UTC(1970 + Math.floor(months / 12), ((months % 12) + 12) % 12, 1)) * 1000n;
}
