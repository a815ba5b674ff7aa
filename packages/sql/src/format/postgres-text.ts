import type { SqlType } from '../types/sql-type.ts';
import { jsonInput } from './json-value.ts';
import { lambdaName } from './lambda-name.ts';

/**
 * SQL for the text of a value as PostgreSQL writes it: `t`, `1e+15`, `Infinity`, `0044-03-15 BC`, `{1,NULL,"a
 * b"}`. NULL if the value is NULL. Structs are JSON, as in the HTTP API, because PostgreSQL's row format
 * would lose the names of their fields.
 */
export function postgresText(type: SqlType, value: string): string {
  switch (type.kind) {
    case 'text':
    case 'geography':
      return value;
    case 'float':
      return `tsr_pg_float(${value})`;
    case 'double':
      return `tsr_pg_double(${value})`;
    case 'boolean':
      return `CASE ${value} WHEN true THEN 't' WHEN false THEN 'f' END`;
    case 'bytea':
      return `'\\x' || lower(hex(${value}))`;
    case 'date':
    case 'timestamp':
      return `tsr_pg_era(CAST(${value} AS VARCHAR))`;
    case 'timestamptz':
      return `tsr_pg_timestamptz(${value})`;
    case 'decimal':
      return decimalText(type, `CAST(${value} AS VARCHAR)`);
    case 'array':
      return postgresArray(type.element, value);
    case 'struct':
      return structJson(type, value);
    case 'json':
      return jsonDocument(type, value);
    default:
      return `CAST(${value} AS VARCHAR)`;
  }
}

/** The kernel omits the zero before the decimal point if the type has no integer digits. */
const decimalText = ({ precision, scale }: Extract<SqlType, { kind: 'decimal' }>, text: string): string =>
  precision === scale ? `regexp_replace(${text}, '^(-?)\\.', '\\10.')` : text;

/** A document as PostgreSQL writes it: `jsonb` with blanks, `json` as it is. */
export const jsonDocument = (type: SqlType, value: string): string =>
  isJsonbColumn(type) ? `tsr_jsonb_text(${value})` : `CAST(${value} AS VARCHAR)`;

export const isJsonbColumn = (type: SqlType): boolean => 'postgres' in type && type.postgres === 'jsonb';

export const structJson = (type: SqlType, value: string): string =>
  `CAST(to_json(${jsonInput(type, value)}) AS VARCHAR)`;

function postgresArray(element: SqlType, value: string): string {
  const name = lambdaName(value);
  const items = `list_transform(${value}, lambda ${name}: ${arrayItem(element, name)})`;
  return `'{' || array_to_string(${items}, ',') || '}'`;
}

function arrayItem(element: SqlType, value: string): string {
  const text = postgresText(element, value);
  switch (element.kind) {
    case 'int':
    case 'long':
    case 'float':
    case 'double':
    case 'decimal':
    case 'boolean':
    case 'array':
      return `coalesce(${text}, 'NULL')`;
    default:
      return `tsr_pg_item(${text})`;
  }
}
