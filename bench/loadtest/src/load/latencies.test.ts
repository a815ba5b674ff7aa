import { expect, test } from 'vitest';
import { Latencies } from './latencies.ts';

const upTo = (count: number, step = 1) => {
  const latencies = new Latencies();
  for (let n = 1; n <= count; n++) latencies.record(n * step);
  return latencies;
};

test('percentiles keep three digits', () => {
  const { p50, p90, p95, p99, p999, max } = upTo(10_000, 0.1).percentiles;
  for (const [found, exact] of [
    [p50, 500],
    [p90, 900],
    [p95, 950],
    [p99, 990],
    [p999, 999],
    [max, 1_000],
  ] as const)
    expect(Math.abs(found / exact - 1)).toBeLessThan(0.001);
});

test('histograms of several processes are merged as if one process had recorded them', () => {
  const parts = [upTo(1_000), upTo(9_000)].map((part) => Latencies.of(part.encoded()));
  const all = Latencies.together(parts);
  expect(all.count).toBe(10_000);
  expect(all.percentile(100)).toBeCloseTo(9_000, -1);
  expect(all.percentile(20)).toBeCloseTo(1_000, -1);
});

test('without latencies there are no percentiles, and more than an hour counts as an hour', () => {
  const latencies = new Latencies();
  expect(latencies.percentile(99)).toBeNaN();
  latencies.record(1e9);
  expect(Math.abs(latencies.percentile(100) / 3_600_000 - 1)).toBeLessThan(0.001);
});
