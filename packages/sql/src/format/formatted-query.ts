import type { PreparedQuery } from '../prepare/prepare-query.ts';
import { quoteText } from '../types/output-type.ts';
import type { OutputColumn } from '../types/sql-type.ts';
import { jsonOrNull } from './json-value.ts';
import { psqlRows } from './psql.ts';
import { needsEscape, textValue } from './text-value.ts';
import { verticalRow } from './vertical.ts';

/** Text forms of rows that the kernel writes itself. */
export type RowFormat = 'tsv' | 'csv' | 'json_array' | 'json_object' | 'psql' | 'vertical';

export interface RowEncoding {
  readonly format: RowFormat;
  /** Rows beyond it are left out. */
  readonly limit?: number;
}

/**
 * A query of one VARCHAR column whose values, joined, are the body of the result in the order of the rows. TSV and CSV
 * rows end in LF; each JSON row begins with a comma, the first one too; PSQL and Vertical are whole with their head
 * and tail.
 */
export function formattedQuery(query: PreparedQuery, { format, limit }: RowEncoding): string {
  const names = query.columns.map((_, index) => `c${index}`);
  const limited = limit === undefined ? query.sql : `SELECT * FROM (${query.sql}) LIMIT ${limit}`;
  const source = `(${limited}) AS r(${names.join(', ')})`;
  if (format === 'psql') return psqlRows(query.columns, source);
  return `SELECT ${rowExpression(format, query.columns)} FROM ${source}`;
}

function rowExpression(format: Exclude<RowFormat, 'psql'>, columns: readonly OutputColumn[]): string {
  switch (format) {
    case 'tsv':
      return delimited(columns.map(tsvCell), quoteText('\t'));
    case 'csv':
      return delimited(columns.map(csvCell), quoteText(','));
    case 'json_array':
      return joined(
        ',[',
        columns.map((c, i) => [i === 0 ? '' : ',', jsonCell(c, i)]),
        ']',
      );
    case 'json_object':
      return joined(
        ',{',
        columns.map((c, i) => [`${i === 0 ? '' : ','}${JSON.stringify(c.name)}:`, jsonCell(c, i)]),
        '}',
      );
    case 'vertical':
      return verticalRow(columns);
  }
}

const jsonCell = ({ type, nullable }: OutputColumn, index: number): string =>
  jsonOrNull(type, `c${index}`, nullable);

const delimited = (cells: readonly string[], separator: string): string =>
  `${cells.join(` || ${separator} || `)} || chr(10)`;

function joined(
  open: string,
  cells: readonly (readonly [before: string, cell: string])[],
  close: string,
): string {
  const parts = cells.flatMap(([before, cell], index) => {
    const text = index === 0 ? open + before : before;
    return [quoteText(text), cell];
  });
  return [...parts, quoteText(close)].join(' || ');
}

function tsvCell({ type, nullable }: OutputColumn, index: number): string {
  const text = textValue(type, `c${index}`);
  const escaped = needsEscape(type)
    ? `replace(replace(replace(${text}, '\\', '\\\\'), chr(9), '\\t'), chr(10), '\\n')`
    : text;
  return nullable ? `coalesce(${escaped}, '\\N')` : escaped;
}

function csvCell({ type, nullable }: OutputColumn, index: number): string {
  const text = textValue(type, `c${index}`);
  const quoted = needsEscape(type) ? `'"' || replace(${text}, '"', '""') || '"'` : text;
  return nullable ? `coalesce(${quoted}, '')` : `(${quoted})`;
}
