import { quoteName, quoteText } from '@tessera/kernel';
import type { SqlField, SqlType } from '../types/sql-type.ts';
import { lambdaName } from './lambda-name.ts';

/**
 * SQL for a value such that `to_json` prints it as the API does. Values that are JSON strings in the API
 * become text first (64-bit integers, decimals, dates, binary, non-finite numbers); the others stay as they
 * are.
 */
export function jsonInput(type: SqlType, value: string): string {
  switch (type.kind) {
    case 'int':
    case 'text':
    case 'geography':
    case 'boolean':
      return value;
    case 'double':
      return finiteNumber(value, value);
    case 'float':
      // The cast goes through text, because the double nearest to 0.1::FLOAT has 17 digits.
      return finiteNumber(value, `CAST(CAST(${value} AS VARCHAR) AS DOUBLE)`);
    case 'bytea':
      return `'\\x' || lower(hex(${value}))`;
    case 'array':
      return arrayInput(type.element, value);
    case 'struct':
      return structInput(type.fields, value);
    default:
      return `CAST(${value} AS VARCHAR)`;
  }
}

const finiteNumber = (value: string, number: string) =>
  `CASE WHEN isfinite(${value}) THEN to_json(${number}) ELSE to_json(${floatText(value)}) END`;

/** The text of a floating-point number. The kernel writes the sign of NaN, which means nothing: `-nan` for `inf - inf`. */
export const floatText = (value: string): string =>
  `CASE WHEN isnan(${value}) THEN 'nan' ELSE CAST(${value} AS VARCHAR) END`;

function arrayInput(element: SqlType, value: string): string {
  const name = lambdaName(value);
  const item = jsonInput(element, name);
  return item === name ? value : `list_transform(${value}, lambda ${name}: ${item})`;
}

function structInput(fields: readonly SqlField[], value: string): string {
  const members = fields.map(({ name, type }) => {
    const field = `struct_extract(${value}, ${quoteText(name)})`;
    return { name, field, input: jsonInput(type, field) };
  });
  if (members.every(({ field, input }) => field === input)) return value;
  const packed = members.map(({ name, input }) => `${quoteName(name)} := ${input}`).join(', ');
  return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${packed}) END`;
}
