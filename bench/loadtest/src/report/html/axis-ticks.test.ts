import { expect, test } from 'vitest';
import { linearScale, logScale } from './axis-ticks.ts';

test('linear axes go from zero to a round number', () => {
  const scale = linearScale([3, 83]);
  expect(scale.ticks).toEqual([0, 20, 40, 60, 80, 100]);
  expect(scale.place(50)).toBe(0.5);
  expect(linearScale([]).ticks).toEqual([0, 1]);
});

test('logarithmic axes go from a round number to another, also around one value', () => {
  expect(logScale([3, 83]).ticks).toEqual([2, 5, 10, 20, 50, 100]);
  expect(logScale([0.5, 400]).ticks).toEqual([0.3, 1, 3, 10, 30, 100, 300, 1000]);
  expect(logScale([0.001, 90_000]).ticks[0]).toBe(0.001);
  for (const values of [[1], [7], [0, 5], [0.013]]) {
    const scale = logScale(values);
    const place = scale.place(Math.max(...values));
    expect(place).toBeGreaterThanOrEqual(0);
    expect(place).toBeLessThanOrEqual(1);
  }
  expect(logScale([0]).place(0)).toBe(0);
});
