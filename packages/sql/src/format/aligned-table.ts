import type { RunnableQuery } from '../prepare/prepare-context.ts';
import type { OutputColumn, SqlType } from '../types/sql-type.ts';
import { asRelation } from './formatted-query.ts';
import { textValue } from './text-value.ts';

/**
 * The PSQL format: columns as wide as their widest value, which is known only when all rows are. So the texts of all
 * cells are kept somewhere first (`cellsQuery`), measured (`widthsQuery`) and then padded (`paddedRowsQuery`).
 */
const RIGHT_ALIGNED: ReadonlySet<SqlType['kind']> = new Set(['int', 'long', 'float', 'double', 'decimal']);

/** All rows as text columns c0, c1, …; NULL shows as nothing, a line end as `\n`. */
export function cellsQuery(query: RunnableQuery): string {
  const cells = query.columns.map((column, i) => {
    const text = textValue(column.type, columnName(i));
    return `coalesce(replace(replace(${text}, chr(10), '\\n'), chr(9), '\\t'), '') AS ${columnName(i)}`;
  });
  return `SELECT ${cells.join(', ')} FROM ${asRelation(query)}`;
}

/** One row, one text: how wide each column of `cells` (a FROM item) is in characters, separated by commas. */
export function widthsQuery(cells: string, columns: readonly OutputColumn[]): string {
  const widths = columns.map((_, i) => `coalesce(max(length(${columnName(i)})), 0)`);
  return `SELECT concat(${widths.join(", ',', ")}) FROM ${cells}`;
}

/** The rows of `cells` as one text column, padded. */
export function paddedRowsQuery(
  cells: string,
  columns: readonly OutputColumn[],
  widths: readonly number[],
): string {
  const padded = columns.map((column, i) => {
    const pad = RIGHT_ALIGNED.has(column.type.kind) ? 'lpad' : 'rpad';
    return `${pad}(${columnName(i)}, ${widths[i]}, ' ')`;
  });
  return `SELECT concat(' ', ${padded.join(", ' | ', ")}, chr(10)) FROM ${cells}`;
}

/** Names and the rule under them. */
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
