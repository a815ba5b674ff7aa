import type { SqlType } from '../types/sql-type.ts';
import { asText, jsonText } from './json-text.ts';

export interface PlainTextStyle {
  readonly true: string;
  readonly false: string;
}

/** SQL for the text of a value as the text formats show it, NULL for NULL; not yet escaped. */
export function plainText(value: string, type: SqlType, style: PlainTextStyle): string {
  switch (type.kind) {
    case 'boolean':
      return `CASE ${value} WHEN true THEN '${style.true}' WHEN false THEN '${style.false}' END`;
    case 'float':
    case 'double':
      return withoutPointZero(asText(value));
    case 'bytea':
      return `'\\x' || lower(hex(${value}))`;
    case 'array':
      return arrayText(value, type.element, style);
    case 'struct':
      return jsonText(value, type);
    default:
      return asText(value);
  }
}

/** Whether the text of this type can hold characters that a format must escape. */
export const needsEscape = (type: SqlType): boolean =>
  type.kind === 'text' ||
  type.kind === 'json' ||
  type.kind === 'geography' ||
  type.kind === 'bytea' ||
  type.kind === 'array' ||
  type.kind === 'struct';

/** `[1,2]`, `['a']`, NULL elements as NULL. */
function arrayText(value: string, element: SqlType, style: PlainTextStyle): string {
  const text = plainText('e', element, style);
  const shown =
    element.kind === 'text' ? `'''' || replace(replace(e, '\\', '\\\\'), '''', '\\''') || ''''` : text;
  return `'[' || array_to_string(list_transform(${value}, lambda e: coalesce(${shown}, 'NULL')), ',') || ']'`;
}

/** A whole number among floats reads `30`, as in PostgreSQL. */
const withoutPointZero = (text: string): string =>
  `CASE WHEN suffix(${text}, '.0') THEN left(${text}, -2) ELSE ${text} END`;
