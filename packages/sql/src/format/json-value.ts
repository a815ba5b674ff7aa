import { quoteText } from '../types/output-type.ts';
import type { SqlType } from '../types/sql-type.ts';

/** SQL for the JSON text of a value; NULL where the value is NULL. */
export function jsonValue(type: SqlType, value: string): string {
  switch (type.kind) {
    case 'int':
      return `CAST(${value} AS VARCHAR)`;
    case 'float':
    case 'double':
      return `CASE WHEN isfinite(${value}) THEN CAST(${value} AS VARCHAR) ELSE '"' || CAST(${value} AS VARCHAR) || '"' END`;
    case 'boolean':
      return `CAST(${value} AS VARCHAR)`;
    case 'text':
    case 'geography':
      return `CAST(to_json(${value}) AS VARCHAR)`;
    case 'json':
      return `CAST(to_json(CAST(${value} AS VARCHAR)) AS VARCHAR)`;
    case 'bytea':
      return `'"\\\\x' || lower(hex(${value})) || '"'`;
    case 'array':
      return jsonArray(type.element, value);
    case 'struct':
      return jsonStruct(type.fields, value);
    default:
      return `'"' || CAST(${value} AS VARCHAR) || '"'`;
  }
}

/** The JSON text with `null` for NULL. */
export const jsonOrNull = (type: SqlType, value: string, nullable = true): string =>
  nullable ? `coalesce(${jsonValue(type, value)}, 'null')` : jsonValue(type, value);

function jsonArray(element: SqlType, value: string): string {
  const name = lambdaName(value);
  const items = `list_transform(${value}, lambda ${name}: ${jsonOrNull(element, name)})`;
  return `'[' || array_to_string(${items}, ',') || ']'`;
}

function jsonStruct(
  fields: readonly { readonly name: string; readonly type: SqlType }[],
  value: string,
): string {
  const members = fields.map(({ name, type }, index) => {
    const key = quoteText(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`);
    return `${key} || ${jsonOrNull(type, `struct_extract(${value}, ${quoteText(name)})`)}`;
  });
  const body = members.length === 0 ? "''" : members.join(' || ');
  return `CASE WHEN ${value} IS NULL THEN NULL ELSE '{' || ${body} || '}' END`;
}

/** A lambda parameter that does not hide one around it. */
export const lambdaName = (value: string): string => {
  const depth = [...value.matchAll(/\be(\d+)\b/g)].reduce((most, m) => Math.max(most, Number(m[1]) + 1), 0);
  return `e${depth}`;
};
