import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { isNumeric, type RowsAnswer } from '../engine/answer.ts';
import { theme } from '../state/theme.ts';
import { countText } from '../units.ts';
import { type ChartChoice, type ChartData, type ChartKind, chartData, suggestedChart } from './chart-data.ts';

const KINDS: Readonly<Record<ChartKind, string>> = {
  line: 'Line',
  bar: 'Bars',
  scatter: 'Points',
  histogram: 'Histogram',
};
/** Told apart by people who do not see all colours, on light and on dark. */
const COLOURS = ['#1d8fb0', '#d9730d', '#8a63d2', '#2f9e5b', '#c2406f', '#7a8794'];

/** Units of a time axis, in seconds. */
const [SECOND, MINUTE, DAY, YEAR] = [1, 60, 86_400, 31_536_000];
/**
 * The texts of a time axis, by the distance of its marks: what each mark says, and what it says besides where another year, day
 * or minute begins. The columns are those of uPlot.
 */
const TIME_TEXTS: uPlot.Axis.Values = [
  [YEAR, '{YYYY}', null, null, null, null, null, null, 1],
  [28 * DAY, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [DAY, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [MINUTE, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [SECOND, '{HH}:{mm}:{ss}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [SECOND / 1_000, '{ss}.{fff}', '\n{D} {MMM} {YYYY} {HH}:{mm}', null, null, null, '\n{HH}:{mm}', null, 1],
];

/** A chart of a result, with the choice of its kind and columns. */
export function ChartView({ answer }: { answer: RowsAnswer }) {
  const choice = useSignal<ChartChoice | undefined>(suggestedChart(answer));
  const host = useRef<HTMLDivElement>(null);
  const now = choice.value;
  const colours = theme.value;
  useEffect(() => {
    if (now === undefined || now.y.length === 0) return undefined;
    const element = host.current!;
    const across = answer.columns[now.kind === 'histogram' ? now.y[0]! : now.x]!.name;
    const chart = new uPlot(...optionsOf(now, chartData(answer, now), across, element), element);
    const watcher = new ResizeObserver(() => chart.setSize(sizeOf(element)));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [answer, now, colours]);
  if (now === undefined)
    return <p class="note">A chart needs a column of numbers, and this result has none.</p>;

  const { columns, rows } = answer;
  return (
    <div class="chart">
      <ChartBar
        columns={columns}
        choice={now}
        choose={(change) => {
          choice.value = { ...now, ...change };
        }}
      />
      <div
        class="chart-host"
        ref={host}
        role="img"
        aria-label={`${KINDS[now.kind]} of ${now.y.map((at) => columns[at]!.name).join(', ')}, ${countText(rows.length)} rows`}
      />
    </div>
  );
}

interface ChartBarProps {
  readonly columns: RowsAnswer['columns'];
  readonly choice: ChartChoice;
  choose(change: Partial<ChartChoice>): void;
}

/** The choice of the kind of the chart and of its columns. */
function ChartBar({ columns, choice: now, choose }: ChartBarProps) {
  const numeric = columns.flatMap((column, at) =>
    isNumeric(column.type) ? [{ at, name: column.name }] : [],
  );
  const several = now.kind !== 'histogram';
  return (
    <div class="row chart-bar">
      <label>
        Chart{' '}
        <select
          aria-label="Chart"
          value={now.kind}
          onChange={(event) => choose({ kind: event.currentTarget.value as ChartKind })}
        >
          {Object.entries(KINDS).map(([kind, text]) => (
            <option key={kind} value={kind}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {several && (
        <label>
          Across{' '}
          <select
            aria-label="Across"
            value={now.x}
            onChange={(event) => choose({ x: Number(event.currentTarget.value) })}
          >
            {columns.map(({ name }, at) => (
              <option key={`${at} ${name}`} value={at}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <fieldset class="row">
        <legend>{several ? 'Values' : 'Value'}</legend>
        {numeric.slice(0, 12).map(({ at, name }) => (
          <label key={at} class="row">
            <input
              type={several ? 'checkbox' : 'radio'}
              name="values"
              checked={several ? now.y.includes(at) : now.y[0] === at}
              onChange={() => choose({ y: several ? toggled(now.y, at) : [at] })}
            />
            {name}
          </label>
        ))}
      </fieldset>
    </div>
  );
}

const toggled = (all: readonly number[], one: number): number[] =>
  all.includes(one) ? all.filter((other) => other !== one) : [...all, one].sort((a, b) => a - b);

const sizeOf = (element: HTMLElement) => ({
  width: element.clientWidth,
  // The legend below the chart takes the rest.
  height: Math.max(element.clientHeight - 36, 120),
});

function optionsOf(
  { kind }: ChartChoice,
  { x, series, axis, categories }: ChartData,
  across: string,
  element: HTMLElement,
): [uPlot.Options, uPlot.AlignedData] {
  const style = getComputedStyle(element);
  const [text, line] = [style.getPropertyValue('--quiet'), style.getPropertyValue('--line')];
  const asBars = kind === 'bar' || kind === 'histogram';
  const bars = uPlot.paths.bars?.({ size: [kind === 'bar' ? 0.7 / series.length : 0.95, 90] });
  const axisStyle = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const names =
    axis === 'category'
      ? {
          values: (_: uPlot, splits: number[]) => splits.map((at) => shortened(categories[at] ?? '')),
          incrs: [1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 100, 200, 500, 1_000, 2_000, 5_000],
          // The texts of the marks must not overlap.
          space: CHARACTER_WIDTH * (2 + Math.max(0, ...categories.map((text) => shortened(text).length))),
        }
      : axis === 'time'
        ? { values: TIME_TEXTS }
        : {};
  return [
    {
      ...sizeOf(element),
      padding: [12, 24, 0, 0],
      scales: {
        x: { time: axis === 'time', ...(asBars && x.length > 0 ? { range: around(x) } : {}) },
        ...(asBars
          ? {
              y: {
                range: (_: uPlot, low: number, high: number) =>
                  [Math.min(low, 0), high > 0 ? high * 1.05 : 0] as uPlot.Range.MinMax,
              },
            }
          : {}),
      },
      axes: [
        { ...axisStyle, ...names },
        { ...axisStyle, size: 70 },
      ],
      series: [
        {
          label: across,
          ...(axis === 'category'
            ? { value: (_: uPlot, at: number | null) => (at === null ? '' : (categories[at] ?? '')) }
            : axis === 'time'
              ? { value: hasTimes(x) ? '{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}' : '{YYYY}-{MM}-{DD}' }
              : {}),
        },
        ...series.map(({ name }, at): uPlot.Series => {
          const colour = COLOURS[at % COLOURS.length]!;
          return {
            label: name,
            stroke: colour,
            width: kind === 'line' ? 2 : 1,
            spanGaps: false,
            ...(asBars && bars ? { paths: bars, fill: `${colour}cc`, points: { show: false } } : {}),
            ...(kind === 'scatter'
              ? { paths: () => null, points: { show: true, size: 5, fill: colour } }
              : {}),
          };
        }),
      ],
    },
    [x, ...series.map(({ values }) => values)],
  ];
}

/** The width of a character at an axis, in pixels. */
const CHARACTER_WIDTH = 7;
const shortened = (text: string): string => (text.length > 20 ? `${text.slice(0, 19)}…` : text);

/** Whether instants, in seconds since 1970, are not all beginnings of days. */
const hasTimes = (instants: readonly number[]): boolean =>
  instants.some((seconds) => new Date(1_000 * seconds).toTimeString().slice(0, 8) !== '00:00:00');

/** The range of an axis with room for a whole bar at both ends. */
function around(x: readonly number[]): uPlot.Range.MinMax {
  const [low, high] = [x[0]!, x.at(-1)!];
  const gap = x.length > 1 ? (high - low) / (x.length - 1) : 1;
  return [low - gap, high + gap];
}
