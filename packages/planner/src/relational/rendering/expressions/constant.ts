import { quoteIdentifier } from '@tessera/sql';
import type { PlanType, PlanValue } from '../../../plan-nodes.ts';
import { infinityText, valueText } from '../../../value-text.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { exampleSql, isNameable, nullSql } from '../null-sql.ts';
import { quotedText, typeSql } from '../type-sql.ts';

/** Renders a constant with exactly the plan's type. @throws UnsupportedPlan */
export function constantSql(constant: PlanValue): string {
  const { type, is_null, value } = constant;
  if (is_null === true || value === undefined || value === null) {
    if (is_null === true) return nullSql(type);
    return unsupported(`a constant of type ${type.id} without value`);
  }
  switch (type.id) {
    case 'BOOLEAN':
      return value === true ? 'true' : 'false';
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
    case 'UTINYINT':
    case 'USMALLINT':
    case 'UINTEGER':
    case 'UBIGINT':
      return `CAST(${textOf(constant)} AS ${type.id})`;
    case 'INTERVAL':
      return intervalSql(value);
    case 'LIST': {
      const items = elements(type.type_info?.child_type, value);
      if (items.length > 0) return `[${items.join(', ')}]`;
      return isNameable(type) ? `CAST([] AS ${typeSql(type)})` : `(${exampleSql(type)})[1:0]`;
    }
    case 'ARRAY':
      return `CAST([${elements(type.type_info?.child_type, value).join(', ')}] AS ${typeSql(type)})`;
    case 'STRUCT':
      return structSql(type, value);
    case 'MAP':
      return mapSql(type, value);
    case 'BLOB':
      return `CAST(${quotedText(text(value))} AS BLOB)`;
    case 'DATE':
    case 'TIMESTAMP':
    case 'TIMESTAMP_NS':
      return momentSql(constant);
    default:
      return `CAST(${quotedText(textOf(constant))} AS ${typeSql(type)})`;
  }
}

/**
 * Renders a point in time by its text or, if its year does not have four digits, by its distance from 1970.
 */
function momentSql(constant: PlanValue): string {
  const { type, value } = constant;
  const distance = whole(value);
  if (type.id === 'TIMESTAMP_NS') return `make_timestamp_ns(CAST(${distance} AS BIGINT))`;
  const text = infinityText(constant) ?? valueText(constant);
  if (text !== undefined) return `CAST(${quotedText(text)} AS ${type.id})`;
  return type.id === 'DATE'
    ? `(CAST('1970-01-01' AS DATE) + CAST(${distance} AS INTEGER))`
    : `make_timestamp(CAST(${distance} AS BIGINT))`;
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : unsupported('a constant that is no text');

function textOf(constant: PlanValue): string {
  const { type, value } = constant;
  switch (type.id) {
    case 'UHUGEINT':
      return wide(value, false).toString();
    case 'UUID':
      return uuid(wide(value, true));
    case 'TIME':
      return time(BigInt(whole(value)));
    case 'TIMESTAMP_S':
      return timestamp(BigInt(whole(value)) * 1_000_000n);
    case 'TIMESTAMP_MS':
      return timestamp(BigInt(whole(value)) * 1000n);
    case 'TIME WITH TIME ZONE':
      return zonedTime(BigInt(whole(value)));
    case 'TIMESTAMP WITH TIME ZONE':
      return infinityText(constant) ?? valueText(constant) ?? unsupported(`a constant of type ${type.id}`);
    case 'ENUM': {
      const label = type.type_info?.values?.[Number(value)];
      return label ?? unsupported('a value that its enum does not have');
    }
    default:
      return valueText(constant) ?? unsupported(`a constant of type ${type.id}`);
  }
}

const whole = (value: unknown): number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
    ? value
    : unsupported('a constant that is not an integer');

function wide(value: unknown, isSigned: boolean): bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(whole(value));
  const { upper, lower } = value as { readonly upper?: unknown; readonly lower?: unknown };
  const high = BigInt(whole(upper));
  return ((isSigned ? high : BigInt.asUintN(64, high)) << 64n) + BigInt.asUintN(64, BigInt(whole(lower)));
}

/** Decodes a UUID: the kernel stores it with the first bit inverted, so that UUIDs sort as signed numbers. */
function uuid(value: bigint): string {
  const hex = (BigInt.asUintN(128, value) ^ (1n << 127n)).toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const DAY_MICROS = 86_400_000_000n;

function time(micros: bigint): string {
  if (micros === DAY_MICROS) return '24:00:00';
  return timestamp(micros).slice('1970-01-01 '.length);
}

const MAX_ZONE_SECONDS = 57_599n;

/** Decodes microseconds and, in the last 24 bits, the distance from the easternmost zone. */
function zonedTime(bits: bigint): string {
  const zone = MAX_ZONE_SECONDS - (bits & 0xff_ff_ffn);
  const [sign, seconds] = zone < 0n ? ['-', -zone] : ['+', zone];
  return `${time(bits >> 24n)}${sign}${time(seconds * 1_000_000n)}`;
}

const timestamp = (micros: bigint): string =>
  valueText({ type: { id: 'TIMESTAMP' }, value: micros }) ?? unsupported('a time out of range');

function intervalSql(value: unknown): string {
  const { months = 0, days = 0, micros = 0 } = value as Record<string, number | bigint | undefined>;
  return `(to_months(CAST(${months} AS INTEGER)) + to_days(CAST(${days} AS INTEGER)) + to_microseconds(CAST(${micros} AS BIGINT)))`;
}

function childValues(value: unknown): readonly PlanValue[] {
  const { children } = value as { readonly children?: readonly PlanValue[] };
  return children ?? [];
}

const elements = (type: PlanType | undefined, value: unknown): readonly string[] => {
  if (type === undefined) return unsupported('a list without the type of its elements');
  return childValues(value).map((child) => constantSql({ ...child, type }));
};

function structSql(type: PlanType, value: unknown): string {
  const fields = type.type_info?.child_types ?? [];
  const children = childValues(value);
  if (fields.length === 0 || fields.length !== children.length)
    return unsupported('a struct without its fields');
  const values = fields.map(({ second }, i) => constantSql({ ...(children[i] as PlanValue), type: second }));
  if (fields.every(({ first }) => first === undefined || first === '')) return `row(${values.join(', ')})`;
  const named = fields.map(({ first = '' }, i) => `${quoteIdentifier(first)} := ${values[i]}`);
  return `struct_pack(${named.join(', ')})`;
}

function mapSql(type: PlanType, value: unknown): string {
  const entry = type.type_info?.child_type;
  const fields = entry?.type_info?.child_types;
  const [key, item] = fields ?? [];
  if (key === undefined || item === undefined) return unsupported('a map without its types');
  const entries = childValues(value).map((child) => childValues(child.value));
  const column = (place: number, of: PlanType) =>
    entries.map((parts) => constantSql({ ...(parts[place] ?? unsupported('an entry of a map')), type: of }));
  return `CAST(map([${column(0, key.second).join(', ')}], [${column(1, item.second).join(', ')}]) AS ${typeSql(type)})`;
}
