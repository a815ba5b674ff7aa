import { type Figure, meetsTarget } from './figure.ts';
import { number, quantity } from './number.ts';
import type { Line } from './report.ts';

/** The lines as padded Markdown tables, which are readable on a terminal too. */
export const renderTables = (lines: readonly Line[]): string => tablesOf(lines).map(renderTable).join('\n\n');

export function renderTable(lines: readonly Line[]): string {
  const titles = columnTitles(lines);
  const texts = textTitles(lines);
  const rows = lines.map((line) => [
    line.what,
    ...titles.map((title) => renderFigure(line.figures[title])),
    ...texts.map((title) => line.texts?.[title] ?? ''),
  ]);
  const table = [['', ...titles, ...texts], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(3, ...table.map((row) => row[column]!.length)));
  const isNumber = (column: number) => column > 0 && column <= titles.length;
  const render = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (isNumber(column) ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2))).join('|')}|`;
  return [render(table[0]!), rule, ...table.slice(1).map(render)].join('\n');
}

/** Groups of consecutive lines with a common column: one table each. */
export function tablesOf(lines: readonly Line[]): readonly (readonly Line[])[] {
  const tables: Line[][] = [];
  for (const line of lines) {
    const last = tables.at(-1);
    const known = new Set(last?.flatMap(({ figures }) => Object.keys(figures)));
    if (last !== undefined && Object.keys(line.figures).some((title) => known.has(title))) last.push(line);
    else tables.push([line]);
  }
  return tables;
}

/** The columns of all lines, in the order of the line with the most columns. */
export function columnTitles(lines: readonly Line[]): string[] {
  const ofLines = lines.map((line) => Object.keys(line.figures));
  return [...new Set(ofLines.toSorted((a, b) => b.length - a.length).flat())];
}

/** The titles of text columns of all lines, in the order of first use. */
export const textTitles = (lines: readonly Line[]): string[] => [
  ...new Set(lines.flatMap(({ texts = {} }) => Object.keys(texts))),
];

/** Formats a figure as `2.31 ms (2.1 – 2.6) ≤ 3 ✓`: median, spread over the runs, target. */
function renderFigure(figure: Figure | undefined): string {
  if (figure === undefined) return '';
  const { median, min, max, unit, runs, target } = figure;
  const spread = runs > 1 ? ` (${number(min)} – ${number(max)})` : '';
  const sign = target?.at === 'most' ? '≤' : '≥';
  const verdict =
    target === undefined ? '' : ` ${sign} ${number(target.value)} ${meetsTarget(figure) ? '✓' : '✗'}`;
  return `${quantity(median, unit)}${spread}${verdict}`;
}
