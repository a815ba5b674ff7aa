import { boxLines, type Paint, shownText } from './box.ts';
import type { Cell, ResultColumn, Row } from './result-messages.ts';

/** The formats in which the shell shows results. */
export const SHELL_FORMATS = ['box', 'markdown', 'vertical', 'csv', 'json', 'jsonl'] as const;
export type ShellFormat = (typeof SHELL_FORMATS)[number];

export const isShellFormat = (text: string): text is ShellFormat =>
  (SHELL_FORMATS as readonly string[]).includes(text);

/** Formats for programs are written row by row, and never cut. */
export const isForPrograms = (format: ShellFormat): boolean =>
  format === 'csv' || format === 'json' || format === 'jsonl';

/** The lines of a complete result in a format for people. `width` is that of the terminal. */
export function resultLines(
  format: ShellFormat,
  columns: readonly ResultColumn[],
  rows: readonly Row[],
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string[] {
  if (format === 'markdown') return markdownLines(columns, rows);
  if (format === 'vertical') return verticalLines(columns, rows, paint);
  if (columns.length === 1 && rows.some(([value]) => hasLines(value!)))
    return [paint.bold(shownText(columns[0]!.name)), ...rows.flatMap(([value]) => textLines(value!))];
  return boxLines(columns, rows, width, paint);
}

/** A text of several lines, such as that of EXPLAIN, is shown line by line: a box would cut it. */
const hasLines = (value: Cell): boolean => typeof value === 'string' && value.includes('\n');

const textLines = (value: Cell): string[] =>
  hasLines(value)
    ? String(value)
        .replace(/\r?\n$/, '')
        .split(/\r?\n/)
        .map((line) => shownText(line))
    : [shownText(value)];

function markdownLines(columns: readonly ResultColumn[], rows: readonly Row[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const escaped = (text: string) => text.replaceAll('|', '\\|');
  return [
    line(columns.map(({ name }) => escaped(shownText(name)))),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(row.map((value, i) => escaped(shownText(value, columns[i]!.type))))),
  ];
}

function verticalLines(columns: readonly ResultColumn[], rows: readonly Row[], paint: Paint): string[] {
  const names = columns.map(({ name }) => shownText(name));
  const width = Math.max(0, ...names.map((name) => [...name].length));
  return rows.flatMap((row, r) => [
    paint.dim(`─── row ${r + 1} ───`),
    ...row.map(
      (value, i) =>
        `${paint.bold(names[i]!.padStart(width))}: ${value === null ? paint.dim('NULL') : shownText(value, columns[i]!.type)}`,
    ),
  ]);
}

/** The text of some rows in a format for programs; `isFirst` if no row was written before. */
export function rowsText(
  format: ShellFormat,
  columns: readonly ResultColumn[],
  rows: readonly Row[],
  isFirst: boolean,
): string {
  if (format === 'csv') return rows.map((row) => `${row.map(csvField).join(',')}\n`).join('');
  const objects = rows.map((row) =>
    JSON.stringify(Object.fromEntries(columns.map(({ name }, i) => [name, row[i]!]))),
  );
  if (format === 'jsonl') return objects.map((object) => `${object}\n`).join('');
  return objects.map((object, i) => `${isFirst && i === 0 ? '' : ',\n'}${object}`).join('');
}

/** What comes before the first row and after the last one, in a format for programs. */
export function frame(format: ShellFormat, columns: readonly ResultColumn[]): { head: string; tail: string } {
  if (format === 'csv') return { head: `${columns.map(({ name }) => csvField(name)).join(',')}\n`, tail: '' };
  return format === 'json' ? { head: '[', tail: ']\n' } : { head: '', tail: '' };
}

/** NULL is an empty field, and the empty text is `""`. */
function csvField(value: Cell): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
