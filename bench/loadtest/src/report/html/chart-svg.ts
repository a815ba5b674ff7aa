import { number } from '../number.ts';
import type { Chart, Point, Series } from '../report.ts';
import { linearScale, logScale, type Scale } from './axis-ticks.ts';
import { type Markup, markup } from './markup.ts';

const WIDTH = 760;
const RIGHT = 24;
const TOP = 8;
const AXIS = 44;
const CHARACTER = 6.6;

/** The shapes that distinguish series in addition to colour. */
const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'cross', 'ring'] as const;
/** There are as many colours as shapes. */
const COLOURS = SHAPES.length;

/** An SVG image with a text alternative; `id` must be unique on the page. */
export const chartSvg = (chart: Chart, id: string): Markup =>
  chart.x.scale === 'category' ? rowsSvg(chart, id) : linesSvg(chart, id);

/** The shape and colour of each series. */
export const legend = ({ series }: Chart): Markup =>
  markup`<ul class="legend">${series.map(
    ({ name, colour }, n) =>
      markup`<li><svg viewBox="-6 -6 12 12" width="12" height="12" aria-hidden="true">${sign(colour ?? n, 0, 0)}</svg> ${name}</li>`,
  )}</ul>`;

/** One row per category: bars from zero on a linear scale, symbols on a logarithmic one. */
function rowsSvg(chart: Chart, id: string): Markup {
  const categories = [...new Set(chart.series.flatMap(({ points }) => points.map(({ x }) => String(x))))];
  const bars = chart.y.scale !== 'log';
  const rowHeight = bars ? 10 * chart.series.length + 10 : 20;
  const left = 16 + CHARACTER * Math.max(...categories.map((category) => category.length), 3);
  const height = TOP + rowHeight * categories.length + AXIS;
  const scale = (bars ? linearScale : logScale)(valuesOf(chart));
  const x = (value: number) => left + scale.place(value) * (WIDTH - left - RIGHT);
  const rows = categories.map((category, row) => {
    const top = TOP + row * rowHeight;
    const marks = chart.series.flatMap((series, place) => {
      const n = (series.colour ?? place) % COLOURS;
      return series.points
        .filter((point) => String(point.x) === category)
        .map((point) => {
          const y = bars ? top + 10 + place * 10 : top + rowHeight / 2;
          const drawn = bars
            ? markup`<rect class="fill c${n}" x="${left}" y="${y - 4}" width="${tenth(Math.max(1, x(point.y) - left))}" height="8" rx="1.5"/>`
            : sign(n, x(point.y), y);
          return tipped(chart, series, point, markup`${whisker(point, n, x, y)}${drawn}`);
        });
    });
    return markup`<g><text class="category" x="${left - 8}" y="${top + rowHeight / 2 + 4}">${category}</text>${marks}</g>`;
  });
  const stripes = categories
    .map((_, row) => TOP + row * rowHeight)
    .filter((_, row) => row % 2 === 0)
    .map((top) => markup`<rect class="stripe" x="0" y="${top}" width="${WIDTH}" height="${rowHeight}"/>`);
  const grid = xGrid(scale, x, TOP, height - AXIS);
  const reference =
    chart.reference &&
    markup`<line class="reference" x1="${tenth(x(chart.reference))}" x2="${tenth(x(chart.reference))}" y1="${TOP}" y2="${height - AXIS}"/>`;
  return frame(
    chart,
    id,
    height,
    markup`${stripes}${grid}${reference}${rows}${axisLabel(chart.y.label, left, height)}`,
  );
}

const PLOT_HEIGHT = 280;
const PLOT_LEFT = 72;

/** Lines through points over a number. */
function linesSvg(chart: Chart, id: string): Markup {
  const points = chart.series.flatMap((series) => series.points);
  const xScale = (chart.x.scale === 'log' ? logScale : linearScale)(points.map((point) => Number(point.x)));
  const yScale = (chart.y.scale === 'log' ? logScale : linearScale)(valuesOf(chart));
  const height = TOP + PLOT_HEIGHT + AXIS + 16;
  const top = TOP + 16;
  const x = (value: number) => PLOT_LEFT + xScale.place(value) * (WIDTH - PLOT_LEFT - RIGHT);
  const y = (value: number) => top + (1 - yScale.place(value)) * PLOT_HEIGHT;
  const lines = chart.series.map((series, place) => {
    const n = (series.colour ?? place) % COLOURS;
    const ordered = series.points.toSorted((a, b) => Number(a.x) - Number(b.x));
    const path = ordered.map((point) => `${tenth(x(Number(point.x)))},${tenth(y(point.y))}`).join(' ');
    const marks = ordered.map((point) => {
      const at = x(Number(point.x));
      const spread =
        point.spread &&
        markup`<line class="spread c${n}" x1="${tenth(at)}" x2="${tenth(at)}" y1="${tenth(y(point.spread[0]))}" y2="${tenth(y(point.spread[1]))}"/>`;
      return tipped(chart, series, point, markup`${spread}${sign(n, at, y(point.y))}`);
    });
    return markup`<polyline class="line c${n}" points="${path}"/>${marks}`;
  });
  const rules = yScale.ticks.map(
    (tick) =>
      markup`<line class="grid" x1="${PLOT_LEFT}" x2="${WIDTH - RIGHT}" y1="${tenth(y(tick))}" y2="${tenth(y(tick))}"/><text class="tick end" x="${PLOT_LEFT - 8}" y="${tenth(y(tick) + 4)}">${number(tick)}</text>`,
  );
  return frame(
    chart,
    id,
    height,
    markup`${rules}${xGrid(xScale, x, top, top + PLOT_HEIGHT)}<text class="tick" x="4" y="14">${chart.y.label}</text>${lines}${axisLabel(chart.x.label, PLOT_LEFT, height)}`,
  );
}

const valuesOf = ({ series }: Chart): number[] =>
  series.flatMap(({ points }) => points.flatMap(({ y, spread = [] }) => [y, ...spread]));

function frame({ title, x, y, series }: Chart, id: string, height: number, content: Markup): Markup {
  const names = series.map(({ name }) => name).join(', ');
  return markup`<svg class="chart" role="img" viewBox="0 0 ${WIDTH} ${height}" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${title}</title><desc id="${id}-d">${y.label} by ${x.label}: ${names}. The table below has the numbers.</desc>${content}</svg>`;
}

function xGrid(scale: Scale, x: (value: number) => number, top: number, bottom: number): Markup {
  return markup`${scale.ticks.map(
    (tick) =>
      markup`<line class="grid" x1="${tenth(x(tick))}" x2="${tenth(x(tick))}" y1="${top}" y2="${bottom}"/><text class="tick middle" x="${tenth(x(tick))}" y="${bottom + 16}">${number(tick)}</text>`,
  )}`;
}

const axisLabel = (label: string, left: number, height: number): Markup =>
  markup`<text class="tick middle" x="${tenth((left + WIDTH - RIGHT) / 2)}" y="${height - 8}">${label}</text>`;

function whisker({ spread }: Point, n: number, x: (value: number) => number, y: number): Markup | undefined {
  if (spread === undefined || spread[0] === spread[1]) return undefined;
  return markup`<line class="spread c${n}" x1="${tenth(x(spread[0]))}" x2="${tenth(x(spread[1]))}" y1="${y}" y2="${y}"/>`;
}

/** The tooltip `q01, DuckDB: 12.3 (11 – 14)`, shown by the page's script, or by the browser without it. */
function tipped(chart: Chart, { name }: Series, { x, y, spread }: Point, drawn: Markup): Markup {
  const range = spread === undefined ? '' : ` (${number(spread[0])} – ${number(spread[1])})`;
  const where = typeof x === 'number' ? `${number(x)} ${chart.x.label}` : x;
  return markup`<g class="point"><title>${where}, ${name}: ${number(y)}${range}</title>${drawn}</g>`;
}

function sign(colour: number, x: number, y: number): Markup {
  const n = colour % COLOURS;
  const at = `translate(${tenth(x)} ${tenth(y)})`;
  switch (SHAPES[n]!) {
    case 'circle':
      return markup`<circle class="fill c${n}" transform="${at}" r="4.5"/>`;
    case 'square':
      return markup`<rect class="fill c${n}" transform="${at}" x="-4" y="-4" width="8" height="8"/>`;
    case 'triangle':
      return markup`<path class="fill c${n}" transform="${at}" d="M0-5 5 4H-5Z"/>`;
    case 'diamond':
      return markup`<path class="fill c${n}" transform="${at}" d="M0-5.5 5.5 0 0 5.5-5.5 0Z"/>`;
    case 'cross':
      return markup`<path class="line c${n}" transform="${at}" d="M-4-4 4 4M-4 4 4-4"/>`;
    case 'ring':
      return markup`<circle class="line c${n}" transform="${at}" r="4"/>`;
  }
}

const tenth = (value: number): number => Math.round(value * 10) / 10;
