import { quoteText } from '@tessera/kernel';
import type { RunnableQuery } from '../relations/prepare-context.ts';
import type { OutputColumn } from '../types/sql-type.ts';
import { jsonInput } from './json-value.ts';
import { needsEscape, textValue } from './text-value.ts';

/** The row formats that the kernel itself produces. */
export type RowFormat = 'tsv' | 'csv' | 'json_array' | 'json_object' | 'vertical';

export interface RowEncoding {
  readonly format: RowFormat;
  /** The maximum number of rows; the others are dropped. */
  readonly limit?: number;
}

/**
 * A query of one VARCHAR column. Its values, concatenated in order, are the body of the result. TSV and CSV
 * rows end in LF; each JSON row begins with a comma, the first one too.
 */
export function formattedQuery(query: RunnableQuery, { format, limit }: RowEncoding): string {
  const suffix = limit === undefined ? '' : ` LIMIT ${limit}`;
  return `SELECT ${rowExpression(format, query)} FROM ${asRelation(query)}${suffix}`;
}

/** The query as a FROM item with columns c0, c1, …, because column names of a result may repeat. */
export const asRelation = ({ sql, columns }: RunnableQuery): string =>
  `(${sql}) AS r(${columns.map((_, index) => `c${index}`).join(', ')})`;

function rowExpression(format: RowFormat, { columns }: RunnableQuery): string {
  switch (format) {
    case 'tsv':
      return delimited(columns.map(tsvCell), quoteText('\t'));
    case 'csv':
      return delimited(columns.map(csvCell), quoteText(','));
    case 'json_array':
      return jsonRow('json_array', columns.map(jsonCell));
    case 'json_object':
      return jsonRow(
        'json_object',
        columns.map((column, index) => `${quoteText(column.name)}, ${jsonCell(column, index)}`),
      );
    case 'vertical':
      return verticalRow(columns);
  }
}

const jsonCell = ({ type }: OutputColumn, index: number): string => jsonInput(type, `c${index}`);

/** One call for the whole row, NULLs included, is faster than concatenating the texts of its values. */
const jsonRow = (make: string, cells: readonly string[]): string =>
  `concat(',', CAST(${make}(${cells.join(', ')}) AS VARCHAR))`;

const delimited = (cells: readonly string[], separator: string): string =>
  `concat(${cells.join(`, ${separator}, `)}, '\n')`;

function tsvCell({ type, nullable }: OutputColumn, index: number): string {
  const text = textValue(type, `c${index}`);
  const cell = needsEscape(type) ? escapedTsv(text) : text;
  return nullable ? `coalesce(${cell}, '\\N')` : cell;
}

/** Searches first: most texts contain nothing to escape, and three searches cost less than three replacements. */
const escapedTsv = (text: string): string =>
  `CASE WHEN ${containsAny(text, "'\\'", "'\t'", "'\n'")}
  THEN replace(replace(replace(${text}, '\\', '\\\\'), '\t', '\\t'), '\n', '\\n') ELSE ${text} END`;

/** NULL is an empty field; the empty text is `""`. */
function csvCell({ type }: OutputColumn, index: number): string {
  const text = textValue(type, `c${index}`);
  if (!needsEscape(type)) return text;
  const special = `${text} = '' OR ${containsAny(text, "','", "'\"'", "'\n'", "'\r'")}`;
  return `CASE WHEN ${special} THEN concat('"', replace(${text}, '"', '""'), '"') ELSE ${text} END`;
}

const containsAny = (text: string, ...parts: readonly string[]): string =>
  parts.map((part) => `contains(${text}, ${part})`).join(' OR ');

/** `Row 1:`, a rule, then `name: value` lines with aligned values, and an empty line. */
function verticalRow(columns: readonly OutputColumn[]): string {
  const width = Math.max(0, ...columns.map((c) => [...c.name].length));
  const number = 'CAST(row_number() OVER () AS VARCHAR)';
  const head = `'Row ' || ${number} || ':' || chr(10) || repeat('─', 5 + length(${number})) || chr(10)`;
  const lines = columns.map(({ name, type, nullable }, index) => {
    const label = quoteText(`${name}: ${' '.repeat(width - [...name].length)}`);
    const text = textValue(type, `c${index}`);
    return `${label} || ${nullable ? `coalesce(${text}, 'NULL')` : `(${text})`} || chr(10)`;
  });
  return `concat(${[head, ...lines, 'chr(10)'].join(', ')})`;
}
