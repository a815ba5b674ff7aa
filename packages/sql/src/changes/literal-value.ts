/**
 * The value of a literal as a column of a type stores it: DATE in days and TIMESTAMP in microseconds since 1970-01-01 in
 * UTC, DECIMAL as its digits without the point.
 */
export type LiteralValue = null | boolean | number | bigint | string;

/** Years of four digits, in which calendars agree. */
const DAY = String.raw`([1-9]\d{3})-(\d\d)-(\d\d)`;
const CLOCK = String.raw`(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?`;
const DATE = new RegExp(`^(?:date\\s*)?'${DAY}'$`, 'i');
const TIMESTAMP = new RegExp(`^(?:timestamp\\s*)?'${DAY}(?:[ T]${CLOCK})?'$`, 'i');
/** Without an offset it depends on the time zone of the session. */
const INSTANT = new RegExp(`^'${DAY}[ T]${CLOCK}(Z|[+-]\\d\\d(?::\\d\\d)?)'$`);
const NUMBER = /^(-?)0*(\d*)\.?(\d*)$/;
const MAX_INTEGER = 2 ** 31 - 1;
/** More digits may not be exact in 32 bits, where the kernel's division would round twice. */
const FLOAT_DIGITS = 7;
const DAY_MS = 86_400_000;
const MAX_OFFSET_HOURS = 15;

/**
 * The value of a plain literal of `plainValues` that is not NULL. Undefined if only the kernel reads it, or if it is
 * invalid.
 * @param type the column's type as SQL of the kernel
 */
export function literalValue(sql: string, type: string): LiteralValue | undefined {
  switch (type) {
    case 'INTEGER': {
      const value = Number(sql);
      return value > MAX_INTEGER || value < -MAX_INTEGER - 1 ? undefined : value + 0;
    }
    case 'BIGINT':
      return BigInt(sql);
    case 'DOUBLE':
      // The kernel knows no negative zero in a decimal.
      return Number(sql) + 0;
    case 'FLOAT':
      return sql.replaceAll(/\D/g, '').length > FLOAT_DIGITS ? undefined : Math.fround(Number(sql)) + 0;
    case 'VARCHAR': {
      const text = sql.slice(1, -1).replaceAll("''", "'");
      return text.includes('\0') ? undefined : text;
    }
    case 'BOOLEAN':
      return sql.toLowerCase() === 'true';
    case 'DATE': {
      const ms = dayOf(DATE.exec(sql));
      return ms === undefined ? undefined : ms / DAY_MS;
    }
    case 'TIMESTAMP':
      return momentOf(TIMESTAMP.exec(sql));
    case 'TIMESTAMP WITH TIME ZONE': {
      const parts = INSTANT.exec(sql);
      const [moment, offset] = [momentOf(parts), offsetMinutes(parts?.[8])];
      if (moment === undefined || offset === undefined) return undefined;
      return moment - BigInt(offset) * 60_000_000n;
    }
    default:
      return decimal(sql, /^DECIMAL\((\d+),(\d+)\)$/.exec(type));
  }
}

function dayOf(parts: RegExpExecArray | null): number | undefined {
  if (parts === null) return undefined;
  const [, year, month, day] = parts.map(Number);
  const date = new Date(Date.UTC(year!, month! - 1, day));
  return date.getUTCMonth() === month! - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

function momentOf(parts: RegExpExecArray | null): bigint | undefined {
  const ms = dayOf(parts);
  if (ms === undefined) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = parts!.slice(4, 7).map((part) => Number(part ?? 0));
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const micros = Number((parts![7] ?? '').padEnd(6, '0'));
  return BigInt(ms + ((hours * 60 + minutes) * 60 + seconds) * 1_000) * 1_000n + BigInt(micros);
}

function offsetMinutes(offset: string | undefined): number | undefined {
  if (offset === undefined || offset === 'Z') return offset === undefined ? undefined : 0;
  const [hours, minutes = 0] = offset.slice(1).split(':').map(Number);
  if (hours! > MAX_OFFSET_HOURS || minutes > 59) return undefined;
  return (hours! * 60 + minutes) * (offset.startsWith('-') ? -1 : 1);
}

/** Undefined if the number has too many digits or would have to be rounded. */
function decimal(sql: string, type: RegExpExecArray | null): bigint | undefined {
  const number = NUMBER.exec(sql);
  if (number === null || type === null) return undefined;
  const [, sign, whole, fraction] = number;
  const [width, scale] = [Number(type[1]), Number(type[2])];
  if (fraction!.length > scale || whole!.length > width - scale) return undefined;
  const digits = BigInt(`${whole}${fraction!.padEnd(scale, '0')}` || '0');
  return sign === '-' ? -digits : digits;
}
