import { quoteName, quoteText } from '../types/output-type.ts';
import type { SqlType } from '../types/sql-type.ts';

/**
 * SQL for the JSON text of a value, NULL for NULL. `value` is SQL of the given type.
 * Wide integers and decimals are strings: a JSON number does not carry them through most clients.
 */
export function jsonText(value: string, type: SqlType): string {
  switch (type.kind) {
    case 'int':
    case 'boolean':
    case 'json':
      return asText(value);
    case 'float':
    case 'double':
      return `CASE WHEN isfinite(${value}) THEN ${asText(value)} ELSE ${inQuotes(asText(value))} END`;
    case 'text':
    case 'geography':
      return asText(`to_json(${value})`);
    case 'bytea':
      return `'"\\\\x' || lower(hex(${value})) || '"'`;
    case 'array':
      return `'[' || array_to_string(list_transform(${value}, lambda e: ${orNull(jsonText('e', type.element))}), ',') || ']'`;
    case 'struct': {
      const fields = type.fields.map((field) => {
        const member = jsonText(`struct_extract(${value}, ${quoteText(field.name)})`, field.type);
        return `${quoteText(`${JSON.stringify(field.name)}:`)}, ${orNull(member)}`;
      });
      return whenPresent(value, `concat('{', ${fields.join(", ',', ")}, '}')`);
    }
    default:
      return inQuotes(asText(value));
  }
}

/** SQL for JSON text that is `null` where the value is NULL. */
export const orNull = (text: string): string => `coalesce(${text}, 'null')`;

export const asText = (value: string): string => `CAST(${value} AS VARCHAR)`;

/** `concat` makes text of NULL as well, so a NULL that must stay one is asked for first. */
export const whenPresent = (value: string, text: string): string =>
  `CASE WHEN ${value} IS NULL THEN NULL ELSE ${text} END`;

const inQuotes = (text: string): string => `'"' || ${text} || '"'`;

/** SQL name of column `i` of the query that is being formatted. */
export const columnName = (i: number): string => quoteName(`c${i}`);
