import type { Lag } from '../../load/client-lag.ts';
import type { Pace } from '../../load/load.ts';
import type { LoopResult } from '../../load/loop-result.ts';
import { type Figure, figure, type Unit } from '../../report/figure.ts';
import type { Line } from '../../report/report.ts';

/** A load of one strength, and what it came to in each run. */
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

/** Percentiles, throughput and failures of all runs of a load. */
export function loadFigures(results: readonly LoopResult[]): Record<string, Figure> {
  const each = (unit: Unit, of: (result: LoopResult) => number) => figure(unit, results.map(of));
  const percentiles = PERCENTILES.map(
    ([name, p]) => [name, each('ms', ({ latencies }) => latencies.percentile(p))] as const,
  );
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
