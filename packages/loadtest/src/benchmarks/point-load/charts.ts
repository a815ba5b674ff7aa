import type { LoopResult } from '../../load/loop-result.ts';
import { figure } from '../../report/figure.ts';
import type { Chart, Point, Series } from '../../report/report.ts';
import { type Level, PERCENTILES } from './level.ts';

/** What a request takes while so many come through. */
export function latencyOverThroughput(levels: readonly Level[]): Chart {
  const series: Series[] = [];
  for (const [name, p] of PERCENTILES.filter(([percentile]) => percentile === 'p50' || percentile === 'p99'))
    for (const [group, own] of Map.groupBy(levels, ({ wire, kind }) => `${wire}, ${kind}`))
      series.push({
        name: `${group}, ${name}`,
        points: own.map(({ results }) => ({
          x: median(results, ({ perSecond }) => perSecond).median,
          ...spread(results, p),
        })),
      });
  return {
    title: 'Latency over throughput',
    x: { label: 'requests/s', scale: 'linear' },
    y: { label: 'ms', scale: 'log' },
    series,
  };
}

/** How far the slow requests are from the middle, of requests that come by themselves. */
export function latencyByPercentile(levels: readonly Level[]): Chart {
  return {
    title: 'Latency by percentile, requests that come by themselves',
    x: { label: 'percentile', scale: 'category' },
    y: { label: 'ms', scale: 'log' },
    series: levels
      .filter(({ kind }) => kind === 'open')
      .map(({ wire, what, results }) => ({
        name: `${wire}, ${what}`,
        points: PERCENTILES.map(([name, p]) => ({ x: name, ...spread(results, p) })),
      })),
  };
}

const median = (results: readonly LoopResult[], of: (result: LoopResult) => number) =>
  figure('', results.map(of));

function spread(results: readonly LoopResult[], p: number): Pick<Point, 'y' | 'spread'> {
  const { median: y, min, max } = median(results, ({ latencies }) => latencies.percentile(p));
  return { y, spread: [min, max] };
}
