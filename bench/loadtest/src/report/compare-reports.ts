import type { Figure } from './figure.ts';
import { number } from './number.ts';
import type { Report } from './report.ts';

/** The medians of two runs side by side, and whether they differ by more than the runs among themselves. */
export function compareReports(before: Report, after: Report): string {
  const sections = after.results.flatMap((result) => {
    const earlier = before.results.find(({ benchmark }) => benchmark === result.benchmark);
    if (earlier === undefined) return [];
    const rows = result.lines.flatMap(({ what, figures }) => {
      const old = earlier.lines.find((line) => line.what === what)?.figures ?? {};
      return Object.entries(figures).flatMap(([title, figure]) => {
        const was = old[title];
        return was === undefined || was.unit !== figure.unit ? [] : [row(what, title, was, figure)];
      });
    });
    return rows.length === 0 ? [] : [`${result.title}\n${aligned(rows)}\n`];
  });
  if (sections.length === 0) return 'The two reports have nothing in common.\n';
  return `${context(before, after)}\n${sections.join('\n')}`;
}

function row(what: string, title: string, was: Figure, is: Figure): string[] {
  const apart = is.min > was.max || is.max < was.min;
  const ratio = is.median / was.median;
  const change = Number.isFinite(ratio) ? `× ${number(ratio)}` : '';
  const said = was.runs > 1 && is.runs > 1 ? (apart ? 'changed' : 'within the spread') : 'one run only';
  return [what, title, `${number(was.median)} → ${number(is.median)} ${is.unit}`.trimEnd(), change, said];
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows
    .map((cells) => `  ${cells.map((text, column) => text.padEnd(widths[column]!)).join('  ')}`.trimEnd())
    .join('\n');
}

/** A warning if the runs were made under different conditions. */
function context(before: Report, after: Report): string {
  const differences = [
    before.machine.cpu !== after.machine.cpu || before.machine.cores !== after.machine.cores
      ? 'The machines differ.'
      : '',
    before.scale === after.scale ? '' : `The scales differ: ${before.scale} and ${after.scale}.`,
  ].filter((text) => text !== '');
  const named = ({ commit, startedAt }: Report) => `${startedAt.slice(0, 16)} (${commit ?? 'no commit'})`;
  return [`${named(before)} → ${named(after)}`, ...differences, ''].join('\n');
}
