import type { BenchmarkResult, Chart } from '../report.ts';
import { columnTitles } from '../table.ts';

const MOST_LINES = 24;

/** A benchmark's own charts; without any, bars of the figures that have the unit of the first one. */
export function chartsOf({ title, lines, charts }: BenchmarkResult): readonly Chart[] {
  if (charts !== undefined) return charts;
  const [first] = columnTitles(lines);
  const unit = lines.find((line) => first !== undefined && first in line.figures)?.figures[first!]?.unit;
  if (first === undefined || lines.length > MOST_LINES) return [];
  const columns = columnTitles(lines).filter((column) =>
    lines.every(({ figures }) => figures[column] === undefined || figures[column].unit === unit),
  );
  const series = columns.map((column) => ({
    name: column,
    points: lines.flatMap(({ what, figures }) => {
      const figure = figures[column];
      if (figure === undefined) return [];
      return [{ x: what, y: figure.median, spread: [figure.min, figure.max] as const }];
    }),
  }));
  return [
    {
      title,
      x: { label: 'case', scale: 'category' },
      y: { label: unit === '' || unit === undefined ? 'count' : unit, scale: 'linear' },
      series,
    },
  ];
}
