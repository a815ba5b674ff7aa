import { durationText, factsOf } from '../facts.ts';
import { type Figure, meetsTarget } from '../figure.ts';
import { number, quantity } from '../number.ts';
import { type BenchmarkResult, isGood, type Line, type Report } from '../report.ts';
import { columnTitles, tablesOf, textTitles } from '../table.ts';
import { chartSvg, legend } from './chart-svg.ts';
import { chartsOf } from './charts-of.ts';
import { Markup, markup, prose } from './markup.ts';
import { SCRIPT, STYLE } from './page-style.ts';

/** A self-contained page: it needs no network and no other files. */
export function htmlPage(report: Report): string {
  const { results, failures } = report;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tessera load test, ${report.startedAt.slice(0, 10)}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<header>
<h1>Tessera load test</h1>
${summary(report)}
<dl class="facts">${factsOf(report).map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
<nav aria-label="Benchmarks"><ol>${results.map((result, n) => markup`<li><a href="#b${n}">${prose(result.title)}</a>${verdictMark(result)}</li>`)}</ol></nav>
<main>
${
  failures.length === 0
    ? undefined
    : markup`<section class="alert"><h2>Failed</h2><ul>${failures.map(({ benchmark, reason }) => markup`<li><strong>${benchmark}</strong>: ${reason}</li>`)}</ul></section>`
}
${results.map(section)}
</main>
<footer>Figures are medians over the runs, least and greatest in brackets. ✓ and ✗ show whether a median meets its target.</footer>
<div id="tip" role="status" hidden></div>
<script>${new Markup(SCRIPT)}</script>
</body>
</html>
`.text;
}

function summary(report: Report): Markup {
  const figures = report.results.flatMap(targeted);
  const met = figures.filter(meetsTarget).length;
  const problems = report.results.reduce((sum, { problems = [] }) => sum + problems.length, 0);
  const card = (value: string, label: string, tone: string) =>
    markup`<li class="${tone}"><strong>${value}</strong> ${label}</li>`;
  return markup`<ul class="cards">
${card(String(report.results.length), 'benchmarks', '')}
${card(`${met} of ${figures.length}`, 'targets met', met === figures.length ? 'good' : 'missed')}
${card(String(problems), 'wrong answers and other problems', problems === 0 ? 'good' : 'bad')}
${card(String(report.failures.length), 'failed', isGood(report) || report.failures.length === 0 ? 'good' : 'bad')}
${card(durationText(report.durationSeconds), 'in all', '')}
</ul>`;
}

const targeted = ({ lines }: BenchmarkResult): Figure[] =>
  lines.flatMap(({ figures }) => Object.values(figures)).filter(({ target }) => target !== undefined);

function verdictMark(result: BenchmarkResult): Markup | undefined {
  const figures = targeted(result);
  if ((result.problems ?? []).length > 0) return markup` <span class="bad">problems</span>`;
  if (figures.length === 0) return undefined;
  const missed = figures.filter((figure) => !meetsTarget(figure)).length;
  return missed === 0
    ? markup` <span class="good">✓</span>`
    : markup` <span class="missed">${missed} of ${figures.length} missed</span>`;
}

function section(result: BenchmarkResult, n: number): Markup {
  const { title, method, lines, problems = [], notes = [] } = result;
  const duration =
    result.durationSeconds === undefined ? '' : ` It took ${durationText(result.durationSeconds)}.`;
  const list = (texts: readonly string[]) =>
    markup`<ul>${texts.map((text) => markup`<li>${text}</li>`)}</ul>`;
  return markup`<section id="b${n}">
<h2>${prose(title)}</h2>
<p class="method">${prose(method + duration)}</p>
${problems.length === 0 ? undefined : markup`<div class="alert"><h3>Problems</h3>${list(problems)}</div>`}
${notes.length === 0 ? undefined : markup`<details><summary>${notes.length} note${notes.length === 1 ? '' : 's'}</summary>${list(notes)}</details>`}
${chartsOf(result).map((chart, c) => markup`<figure><figcaption>${prose(chart.title)}</figcaption>${legend(chart)}<div class="scroll">${chartSvg(chart, `b${n}c${c}`)}</div></figure>`)}
${tablesOf(lines).map((part) => table(title, part))}
</section>
`;
}

function table(title: string, lines: readonly Line[]): Markup {
  const titles = columnTitles(lines);
  const texts = textTitles(lines);
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Table of ${title}"><table>
<thead><tr><td></td>${[...titles, ...texts].map((column) => markup`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${lines.map(
    ({ what, figures, texts: own = {} }) =>
      markup`<tr><th scope="row">${what}</th>${titles.map((column) => cell(figures[column]))}${texts.map((column) => markup`<td>${own[column] ?? ''}</td>`)}</tr>
`,
  )}</tbody></table></div>`;
}

function cell(figure: Figure | undefined): Markup {
  if (figure === undefined) return markup`<td></td>`;
  const { median, unit, min, max, runs, target } = figure;
  const spread = runs > 1 ? markup` <small>(${number(min)} – ${number(max)})</small>` : undefined;
  const verdict =
    target &&
    markup` <span class="${meetsTarget(figure) ? 'good' : 'missed'}">${target.at === 'most' ? '≤' : '≥'} ${number(target.value)} ${meetsTarget(figure) ? '✓' : '✗'}</span>`;
  return markup`<td>${quantity(median, unit)}${spread}${verdict}</td>`;
}
