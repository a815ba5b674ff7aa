import { figure } from '../../report/figure.ts';
import type { Chart, Series } from '../../report/report.ts';
import { type Level, latencyPoints, PERCENTILES } from './level.ts';

/** Latencies over throughput. */
export function latencyOverThroughput(levels: readonly Level[]): Chart {
  const series: Series[] = [];
  for (const [name, p] of PERCENTILES.filter(([percentile]) => percentile === 'p50' || percentile === 'p99'))
    for (const [group, own] of Map.groupBy(levels, ({ wire, kind }) => `${wire}, ${kind}`))
      series.push({
        name: `${group}, ${name}`,
        points: own.flatMap((level) => latencyPoints(level.results, p, throughput(level))),
      });
  return {
    title: 'Latency over throughput',
    x: { label: 'requests/s', scale: 'linear' },
    y: { label: 'ms', scale: 'log' },
    series,
  };
}

/** How far slow requests are from the median, for requests that arrive on their own schedule. */
export function latencyByPercentile(levels: readonly Level[]): Chart {
  return {
    title: 'Latency by percentile, requests that come by themselves',
    x: { label: 'percentile', scale: 'category' },
    y: { label: 'ms', scale: 'log' },
    series: levels
      .filter(({ kind }) => kind === 'open')
      .map((level) => ({
        name: `${level.wire}, ${level.what}`,
        points: PERCENTILES.flatMap(([name, p]) => latencyPoints(level.results, p, name)),
      })),
  };
}

const throughput = ({ results }: Level): number =>
  figure(
    '',
    results.map(({ perSecond }) => perSecond),
  ).median;
