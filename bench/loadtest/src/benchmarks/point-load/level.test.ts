import { expect, test } from 'vitest';
import { LoopResult } from '../../load/loop-result.ts';
import { latencyByPercentile, latencyOverThroughput } from './charts.ts';
import { type Level, levelLine } from './level.ts';

const resultOf = (...milliseconds: number[]): LoopResult => {
  const result = new LoopResult();
  result.seconds = 1;
  for (const time of milliseconds) result.latencies.record(time);
  return result;
};
const levelOf = (...results: LoopResult[]): Level => ({
  wire: 'HTTP',
  what: '50 % of the most',
  kind: 'open',
  pace: () => ({ connections: 1 }),
  results,
  lags: results.map(() => ({ p50: 0, p99: 0, max: 0 })),
});

test('a run without any answer counts for the throughput, but not for percentiles', () => {
  const level = levelOf(resultOf(), resultOf(2, 2), resultOf(4, 4));
  const { figures } = levelLine(level);
  expect(figures.p50).toMatchObject({ median: expect.closeTo(3, 1), runs: 2 });
  expect(figures.throughput).toMatchObject({ median: 2, min: 0, runs: 3 });
  expect(latencyOverThroughput([level]).series[0]!.points).toEqual([
    { x: 2, y: expect.closeTo(3, 1), spread: [expect.closeTo(2, 1), expect.closeTo(4, 1)] },
  ]);
});

test('without any answer there are no percentiles and no points in the chart', () => {
  const level = levelOf(resultOf());
  expect(Object.keys(levelLine(level).figures)).toEqual([
    'throughput',
    'failed',
    'backlog',
    'unsent',
    'lag p99',
  ]);
  expect(latencyByPercentile([level]).series[0]!.points).toEqual([]);
});
