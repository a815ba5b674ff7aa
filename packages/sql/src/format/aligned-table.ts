import type { RunnableQuery } from '../relations/prepare-context.ts';
import type { OutputColumn, SqlType } from '../types/sql-type.ts';
import { asRelation } from './formatted-query.ts';
import { textValue } from './text-value.ts';

/**
 * The PSQL format: each column is as wide as its widest value, which is known only after the last row. So all
 * cells are first kept as text (`cellsQuery`), then measured (`widthsQuery`), then padded
 * (`paddedRowsQuery`).
 */
const RIGHT_ALIGNED: ReadonlySet<SqlType['kind']> = new Set(['int', 'long', 'float', 'double', 'decimal']);

/** All rows as text columns c0, c1, …; NULL becomes an empty text. */
export function cellsQuery(query: RunnableQuery): string {
  const cells = query.columns.map((column, i) => {
    const text = textValue(column.type, columnName(i));
    return `coalesce(replace(${text}, chr(9), '\\t'), '') AS ${columnName(i)}`;
  });
  return `SELECT ${cells.join(', ')} FROM ${asRelation(query)}`;
}

/**
 * A query of one row and one text column: the width in characters of each column of `cells` (a FROM item),
 * separated by commas.
 */
export function widthsQuery(cells: string, columns: readonly OutputColumn[]): string {
  const widths = columns.map((_, i) => `coalesce(max(${widthOf(columnName(i))}), 0)`);
  return `SELECT concat(${widths.join(", ',', ")}) FROM ${cells}`;
}

const isMultiLine = (cell: string): string => `contains(${cell}, chr(10))`;
const linesOf = (cell: string): string => `string_split(${cell}, chr(10))`;
const widthOf = (cell: string): string =>
  `CASE WHEN ${isMultiLine(cell)} THEN list_max(list_transform(${linesOf(cell)}, lambda line: length(line))) ELSE length(${cell}) END`;

/**
 * The rows of `cells` as one padded text column. A cell with several lines continues on the next line after a
 * `+`, as in psql.
 */
export function paddedRowsQuery(
  cells: string,
  columns: readonly OutputColumn[],
  widths: readonly number[],
): string {
  const padded = (text: (cell: string) => string) =>
    columns.map((column, i) => {
      const pad = RIGHT_ALIGNED.has(column.type.kind) ? 'lpad' : 'rpad';
      return `${pad}(${text(columnName(i))}, ${widths[i]}, ' ')`;
    });
  const row = `concat(' ', ${padded((cell) => cell).join(", ' | ', ")}, chr(10))`;
  const last = columns.length - 1;
  const parts = padded((cell) => `coalesce(${linesOf(cell)}[nth], '')`).map(
    (part, i) =>
      `${part}, CASE WHEN nth < len(${linesOf(columnName(i))}) THEN '+' ELSE '${i < last ? ' ' : ''}' END`,
  );
  const names = columns.map((_, i) => columnName(i));
  const height = `greatest(${names.map((name) => `len(${linesOf(name)})`).join(', ')})`;
  const line = `concat(' ', ${parts.join(", '| ', ")}, chr(10))`;
  const lines = `array_to_string(list_transform(range(1, ${height} + 1), lambda nth: ${line}), '')`;
  return `SELECT CASE WHEN ${names.map(isMultiLine).join(' OR ')} THEN ${lines} ELSE ${row} END FROM ${cells}`;
}

/** The line of column names and the rule below it. */
export function alignedHead(columns: readonly OutputColumn[], widths: readonly number[]): string {
  const names = columns.map((column, i) => {
    const space = widths[i]! - [...column.name].length;
    const left = Math.floor(space / 2);
    return ` ${' '.repeat(left)}${column.name}${' '.repeat(space - left)} `;
  });
  return `${names.join('|')}\n${widths.map((width) => '-'.repeat(width + 2)).join('+')}\n`;
}

export const alignedTail = (rows: number): string => `(${rows} row${rows === 1 ? '' : 's'})\n`;

const columnName = (index: number): string => `c${index}`;
