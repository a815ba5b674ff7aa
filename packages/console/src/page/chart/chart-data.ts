import { isNumeric, type RowsAnswer } from '../engine/answer.ts';
import { instantOf } from '../units.ts';

export type ChartKind = 'line' | 'bar' | 'scatter' | 'histogram';

export interface ChartChoice {
  readonly kind: ChartKind;
  /** The column of the horizontal axis; the histogram has none. */
  readonly x: number;
  /** The columns of the vertical axis; of the histogram, the one whose values are counted. */
  readonly y: readonly number[];
}

export interface ChartData {
  /** Positions on the horizontal axis: numbers, seconds since 1970, or numbers of categories. */
  readonly x: number[];
  readonly series: readonly { readonly name: string; readonly values: (number | null)[] }[];
  readonly axis: 'number' | 'time' | 'category';
  readonly categories: readonly string[];
}

const BINS = 30;
const isTemporal = (type: string): boolean => /^(date|timestamp|timestamptz)\b/i.test(type);

/** The chart that the types of the columns suggest; undefined if no column holds numbers. */
export function suggestedChart({ columns }: RowsAnswer): ChartChoice | undefined {
  const numeric = columns.flatMap(({ type }, at) => (isNumeric(type) ? [at] : []));
  const time = columns.findIndex(({ type }) => isTemporal(type));
  const text = columns.findIndex(({ type }) => /^(text|boolean)\b/i.test(type));
  if (numeric.length === 0) return undefined;
  if (time >= 0) return { kind: 'line', x: time, y: numeric.slice(0, 4) };
  if (numeric.length === 1) {
    return text >= 0 ? { kind: 'bar', x: text, y: numeric } : { kind: 'histogram', x: 0, y: numeric };
  }
  if (text === 0) return { kind: 'bar', x: text, y: numeric.slice(0, 4) };
  return { kind: 'line', x: numeric[0]!, y: numeric.slice(1, 5) };
}

/** The points of a chart. Rows without a position on the horizontal axis are left out. */
export function chartData(answer: RowsAnswer, choice: ChartChoice): ChartData {
  if (choice.kind === 'histogram') return histogram(answer, choice.y[0]!);
  const { columns, rows } = answer;
  const type = columns[choice.x]!.type;
  const axis =
    choice.kind !== 'bar' && isNumeric(type)
      ? 'number'
      : choice.kind !== 'bar' && isTemporal(type)
        ? 'time'
        : 'category';
  const categories: string[] = [];
  const places = new Map<string, number>();
  const positionOf = (value: unknown): number | null => {
    if (axis === 'number') return numberOf(value);
    if (axis === 'time')
      return (
        (instantOf(`${String(value)}${/\d:\d/.test(String(value)) ? '' : ' 00:00:00'}`)?.getTime() ??
          Number.NaN) / 1000
      );
    const name = value === null ? 'NULL' : String(value);
    if (!places.has(name)) {
      places.set(name, categories.length);
      categories.push(name);
    }
    return places.get(name)!;
  };
  const points = rows
    .map((row) => ({ x: positionOf(row[choice.x]), row }))
    .filter(
      (point): point is { x: number; row: readonly unknown[] } =>
        point.x !== null && Number.isFinite(point.x),
    )
    .sort((a, b) => a.x - b.x);
  return {
    x: points.map((point) => point.x),
    series: choice.y.map((at) => ({
      name: columns[at]!.name,
      values: points.map(({ row }) => numberOf(row[at])),
    })),
    axis,
    categories,
  };
}

function histogram({ columns, rows }: RowsAnswer, column: number): ChartData {
  const values = rows.map((row) => numberOf(row[column])).filter((value) => value !== null);
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const width = (high - low) / BINS || 1;
  const counts = new Array<number>(high > low ? BINS : 1).fill(0);
  for (const value of values) {
    const bin = Math.min(Math.floor((value - low) / width), counts.length - 1);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return {
    x: counts.map((_, bin) => low + (bin + 0.5) * width),
    series: [{ name: `rows by ${columns[column]!.name}`, values: counts }],
    axis: 'number',
    categories: [],
  };
}

function numberOf(value: unknown): number | null {
  const number = value === null ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}
