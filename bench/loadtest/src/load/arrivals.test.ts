import { expect, test } from 'vitest';
import { arrivalTimes } from './arrivals.ts';

test('even arrivals have equal intervals', () => {
  expect(arrivalTimes({ perSecond: 100, spread: 'even', seed: 1 }, 55)).toEqual([10, 20, 30, 40, 50]);
});

test('Poisson arrivals have the given rate, come in bunches, and are determined by the seed', () => {
  const poisson = { perSecond: 1_000, spread: 'poisson', seed: 7 } as const;
  const times = arrivalTimes(poisson, 100_000);
  expect(times).toEqual(arrivalTimes(poisson, 100_000));
  expect(times).not.toEqual(arrivalTimes({ ...poisson, seed: 8 }, 100_000));
  expect(times.length / 100).toBeCloseTo(1_000, -1.5);
  const distances = times.slice(1).map((time, i) => time - times[i]!);
  const mean = distances.reduce((sum, d) => sum + d, 0) / distances.length;
  const variance = distances.reduce((sum, d) => sum + (d - mean) ** 2, 0) / distances.length;
  // For exponential distances, deviation and mean are equal.
  expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1);
});

test('a rate of zero is refused', () => {
  expect(() => arrivalTimes({ perSecond: 0, spread: 'even', seed: 1 }, 10)).toThrow('0 a second');
});
