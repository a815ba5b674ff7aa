import type { SqlType } from '../types/sql-type.ts';
import { floatText, jsonInput } from './json-value.ts';
import { lambdaName } from './lambda-name.ts';

/** SQL for the text of a value in the non-JSON formats; NULL if the value is NULL. */
export function textValue(type: SqlType, value: string): string {
  switch (type.kind) {
    case 'text':
    case 'geography':
      return value;
    case 'float':
    case 'double':
      return withoutPointZero(value);
    case 'boolean':
      return `CASE ${value} WHEN true THEN 't' WHEN false THEN 'f' END`;
    case 'bytea':
      return `'\\x' || lower(hex(${value}))`;
    case 'array':
      return textArray(type.element, value);
    case 'struct':
      return `CAST(to_json(${jsonInput(type, value)}) AS VARCHAR)`;
    default:
      return `CAST(${value} AS VARCHAR)`;
  }
}

/** Whether the text of a value of this type can contain characters that a format has to escape. */
export const needsEscape = (type: SqlType): boolean =>
  ['text', 'json', 'geography', 'bytea', 'array', 'struct'].includes(type.kind);

/** A float with an integral value is written `30`, as in PostgreSQL, not `30.0`. */
function withoutPointZero(value: string): string {
  const text = `CAST(${value} AS VARCHAR)`;
  return `CASE WHEN suffix(${text}, '.0') THEN left(${text}, -2) ELSE ${floatText(value)} END`;
}

/** `[1,2,NULL]`, `['it\'s']`: elements other than numbers and booleans are enclosed in single quotes. */
function textArray(element: SqlType, value: string): string {
  const name = lambdaName(value);
  const items = `list_transform(${value}, lambda ${name}: coalesce(${arrayElement(element, name)}, 'NULL'))`;
  return `'[' || array_to_string(${items}, ',') || ']'`;
}

function arrayElement(type: SqlType, value: string): string {
  switch (type.kind) {
    case 'int':
    case 'long':
    case 'float':
    case 'double':
    case 'decimal':
    case 'boolean':
    case 'array':
    case 'struct':
      return textValue(type, value);
    default:
      return `'''' || replace(replace(${textValue(type, value)}, '\\', '\\\\'), '''', '\\''') || ''''`;
  }
}
