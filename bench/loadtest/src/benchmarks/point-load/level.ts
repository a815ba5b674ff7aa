import type { Lag } from '../../load/client-lag.ts';
import type { Pace } from '../../load/load.ts';
import type { LoopResult } from '../../load/loop-result.ts';
import { type Figure, figure, type Unit } from '../../report/figure.ts';
import type { Line, Point } from '../../report/report.ts';

/** A load of one intensity, with the results of each run. */
export interface Level {
  readonly wire: string;
  readonly what: string;
  readonly kind: 'closed' | 'open';
  pace(run: number): Pace;
  readonly results: LoopResult[];
  readonly lags: Lag[];
}

export const PERCENTILES = [
  ['p50', 50],
  ['p90', 90],
  ['p95', 95],
  ['p99', 99],
  ['p99.9', 99.9],
  ['max', 100],
] as const;

/** One percentile over the runs; undefined if none of them had an answer. */
function latencyFigure(results: readonly LoopResult[], p: number): Figure | undefined {
  const samples = results
    .filter(({ latencies }) => latencies.count > 0)
    .map(({ latencies }) => latencies.percentile(p));
  return samples.length === 0 ? undefined : figure('ms', samples);
}

/** The same for a chart: one point, or none. */
export function latencyPoints(results: readonly LoopResult[], p: number, x: number | string): Point[] {
  const latency = latencyFigure(results, p);
  return latency === undefined ? [] : [{ x, y: latency.median, spread: [latency.min, latency.max] }];
}

/** Percentiles, throughput and failures of all runs of a load; no percentiles if nothing was answered. */
export function loadFigures(results: readonly LoopResult[]): Record<string, Figure> {
  const each = (unit: Unit, of: (result: LoopResult) => number) => figure(unit, results.map(of));
  const percentiles = PERCENTILES.flatMap(([name, p]) => {
    const latency = latencyFigure(results, p);
    return latency === undefined ? [] : [[name, latency] as const];
  });
  return {
    throughput: each('requests/s', ({ perSecond }) => perSecond),
    ...Object.fromEntries(percentiles),
    failed: each('', ({ failed }) => failed),
  };
}

export function levelLine({ wire, what, kind, results, lags }: Level): Line {
  const each = (unit: Unit, of: (result: LoopResult) => number) => figure(unit, results.map(of));
  return {
    what: `${wire}, ${what}`,
    figures: {
      ...loadFigures(results),
      ...(kind === 'open' && {
        backlog: each('', ({ backlog }) => backlog),
        unsent: each('', ({ unsent }) => unsent),
      }),
      'lag p99': figure(
        'ms',
        lags.map(({ p99 }) => p99),
      ),
    },
  };
}
