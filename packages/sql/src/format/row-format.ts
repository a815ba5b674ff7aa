import type { OutputColumn } from '../types/sql-type.ts';
import { columnName, jsonText, orNull } from './json-text.ts';
import { needsEscape, type PlainTextStyle, plainText } from './plain-text.ts';

/** How a row becomes text. The texts of all rows, one after the other, are the body. */
export type RowFormat = 'tsv' | 'csv' | 'json_array' | 'json_object' | 'vertical';

export interface FormattableQuery {
  readonly sql: string;
  readonly columns: readonly OutputColumn[];
}

const LETTERS: PlainTextStyle = { true: 't', false: 'f' };
const WORDS: PlainTextStyle = { true: 'true', false: 'false' };

/**
 * A query of one VARCHAR column whose values, concatenated in order, are the rows in the format, separators included:
 * a line end behind each row of the line formats, a comma before each JSON row.
 */
export function formattedQuery(
  query: FormattableQuery,
  options: { format: RowFormat; limit?: number },
): string {
  const limit = options.limit === undefined ? '' : ` LIMIT ${options.limit}`;
  return `SELECT ${rowText(query.columns, options.format)} FROM ${namedSource(query)}${limit}`;
}

/** The query as a FROM item with columns c0, c1, …: names of a result may repeat or be empty. */
export const namedSource = ({ sql, columns }: FormattableQuery): string =>
  `(${sql}\n) AS r(${columns.map((_, i) => columnName(i)).join(', ')})`;

function rowText(columns: readonly OutputColumn[], format: RowFormat): string {
  switch (format) {
    case 'tsv':
      return `concat(${columns.map(tsvField).join(', chr(9), ')}, chr(10))`;
    case 'csv':
      return `concat(${columns.map(csvField).join(", ',', ")}, chr(10))`;
    case 'json_array':
      return `concat(',[', ${columns.map(jsonField).join(", ',', ")}, ']')`;
    case 'json_object': {
      const members = columns.map(
        (column, i) => `${literal(`${JSON.stringify(column.name)}:`)}, ${jsonField(column, i)}`,
      );
      return `concat(',{', ${members.join(", ',', ")}, '}')`;
    }
    case 'vertical':
      return verticalRow(columns);
  }
}

const jsonField = ({ type, nullable }: OutputColumn, i: number): string => {
  const text = jsonText(columnName(i), type);
  return nullable ? orNull(text) : text;
};

function tsvField({ type, nullable }: OutputColumn, i: number): string {
  const text = plainText(columnName(i), type, LETTERS);
  const escaped = needsEscape(type) ? escapeTsv(text) : text;
  return nullable ? `coalesce(${escaped}, '\\N')` : escaped;
}

/** Asks first: most texts hold nothing to escape, and three replacements cost more than three searches. */
const escapeTsv = (text: string): string =>
  `CASE WHEN contains(${text}, '\\') OR contains(${text}, chr(9)) OR contains(${text}, chr(10))
   THEN replace(replace(replace(${text}, '\\', '\\\\'), chr(9), '\\t'), chr(10), '\\n') ELSE ${text} END`;

/** NULL is an empty field, the empty string is `""`. */
function csvField({ type }: OutputColumn, i: number): string {
  const text = plainText(columnName(i), type, WORDS);
  if (!needsEscape(type)) return text;
  return `CASE WHEN ${text} = '' OR contains(${text}, ',') OR contains(${text}, '"') OR contains(${text}, chr(10)) OR contains(${text}, chr(13))
   THEN concat('"', replace(${text}, '"', '""'), '"') ELSE ${text} END`;
}

function verticalRow(columns: readonly OutputColumn[]): string {
  const width = Math.max(...columns.map((column) => column.name.length));
  const lines = columns.map((column, i) => {
    const label = literal(`${column.name}: `.padEnd(width + 2));
    return `${label}, coalesce(${plainText(columnName(i), column.type, LETTERS)}, 'NULL'), chr(10)`;
  });
  const rowNumber = 'CAST(row_number() OVER () AS VARCHAR)';
  const head = `'Row ', ${rowNumber}, ':', chr(10), repeat('─', 5 + length(${rowNumber})), chr(10)`;
  return `concat(${head}, ${lines.join(', ')}, chr(10))`;
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
