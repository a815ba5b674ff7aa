import { type Figure, meetsTarget } from './figure.ts';
import { number } from './number.ts';
import type { Line } from './report.ts';

/** The lines as a Markdown table padded so that it reads well on a terminal too. */
export function renderTable(lines: readonly Line[]): string {
  const titles = columnTitles(lines);
  const rows = lines.map((line) => [line.what, ...titles.map((title) => renderFigure(line.figures[title]))]);
  const table = [['', ...titles], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(3, ...table.map((row) => row[column]!.length)));
  const render = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? `${'-'.repeat(width + 2)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [render(table[0]!), rule, ...table.slice(1).map(render)].join('\n');
}

/** Of all lines, in the order of the line that has the most. */
export function columnTitles(lines: readonly Line[]): string[] {
  const ofLines = lines.map((line) => Object.keys(line.figures));
  return [...new Set(ofLines.toSorted((a, b) => b.length - a.length).flat())];
}

/** `2.31 ms (2.1 – 2.6) ≤ 3 ✓`: median, spread over the runs, target. */
function renderFigure(figure: Figure | undefined): string {
  if (figure === undefined) return '';
  const { median, min, max, unit, runs, target } = figure;
  const spread = runs > 1 ? ` (${number(min)} – ${number(max)})` : '';
  const sign = target?.at === 'most' ? '≤' : '≥';
  const verdict =
    target === undefined ? '' : ` ${sign} ${number(target.value)} ${meetsTarget(figure) ? '✓' : '✗'}`;
  return `${`${number(median)} ${unit}`.trimEnd()}${spread}${verdict}`;
}
