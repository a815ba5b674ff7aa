import type { PlanValue } from './plan-nodes.ts';

/**
 * A constant of a plan as the kernel's VARCHAR; undefined for NULL and for types whose plan format is not
 * supported here.
 */
export function valueText({ type, is_null, value }: PlanValue): string | undefined {
  if (is_null === true || value === undefined || value === null) return undefined;
  switch (type.id) {
    case 'BOOLEAN':
      return typeof value === 'boolean' ? String(value) : undefined;
    case 'VARCHAR':
      return typeof value === 'string' ? value : undefined;
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
    case 'UTINYINT':
    case 'USMALLINT':
    case 'UINTEGER':
    case 'UBIGINT':
      return integer(value)?.toString();
    case 'HUGEINT':
      return wideInteger(value)?.toString();
    case 'DECIMAL':
      return decimal(wideInteger(value), type.type_info?.scale ?? 0);
    case 'FLOAT':
    case 'DOUBLE':
      return typeof value === 'number' ? floating(value) : integer(value)?.toString();
    case 'DATE':
      return date(integer(value));
    case 'TIMESTAMP':
      return timestamp(integer(value));
    case 'TIMESTAMP WITH TIME ZONE': {
      const text = timestamp(integer(value));
      return text === undefined ? undefined : `${text}+00`;
    }
    default:
      return undefined;
  }
}

const MAX_DATE = 2n ** 31n - 1n;
const MAX_TIMESTAMP = 2n ** 63n - 1n;

/** The text of a date or timestamp before or after all others; undefined for any other constant. */
export function infinityText({ type: { id }, value }: PlanValue): string | undefined {
  const number = integer(value);
  if (number === undefined || !/^(?:DATE|TIMESTAMP.*)$/.test(id)) return undefined;
  const limit = id === 'DATE' ? MAX_DATE : MAX_TIMESTAMP;
  if (number === limit) return 'infinity';
  return number === -limit ? '-infinity' : undefined;
}

function integer(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function wideInteger(value: unknown): bigint | undefined {
  const narrow = integer(value);
  if (narrow !== undefined) return narrow;
  if (typeof value !== 'object' || value === null) return undefined;
  const { upper, lower } = value as { readonly upper?: unknown; readonly lower?: unknown };
  const [high, low] = [integer(upper), integer(lower)];
  return high === undefined || low === undefined ? undefined : (high << 64n) + BigInt.asUintN(64, low);
}

function decimal(unscaled: bigint | undefined, scale: number): string | undefined {
  if (unscaled === undefined) return undefined;
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const sign = unscaled < 0n ? '-' : '';
  if (scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function floating(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Object.is(value, -0) ? '-0.0' : String(value);
}

const DAY_MS = 86_400_000n;
/** The range of `Date` with four-digit years: 0001-01-01 to 9999-12-31. */
const MIN_DAY = -719_162n;
const MAX_DAY = 2_932_896n;

function date(days: bigint | undefined): string | undefined {
  if (days === undefined || days < MIN_DAY || days > MAX_DAY) return undefined;
  return new Date(Number(days * DAY_MS)).toISOString().slice(0, 10);
}

const DAY_MICROS = DAY_MS * 1000n;

function timestamp(micros: bigint | undefined): string | undefined {
  if (micros === undefined) return undefined;
  let [day, rest] = [micros / DAY_MICROS, micros % DAY_MICROS];
  if (rest < 0n) [day, rest] = [day - 1n, rest + DAY_MICROS];
  const text = date(day);
  if (text === undefined) return undefined;
  const seconds = rest / 1_000_000n;
  const part = (n: bigint) => String(n).padStart(2, '0');
  const clock = `${part(seconds / 3600n)}:${part((seconds / 60n) % 60n)}:${part(seconds % 60n)}`;
  const fraction = String(rest % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${text} ${clock}${fraction === '' ? '' : `.${fraction}`}`;
}
