import { expect, test } from 'vitest';
import { neverGoesBack, percentAtHalfTime } from './progress.ts';

const seen = (milliseconds: number, ...updates: [number, number | null][]) => ({
  milliseconds,
  updates: updates.map(([at, percent]) => ({ at, percent })),
});

test('the percentage at half time lies between those of the messages around it', () => {
  expect(percentAtHalfTime(seen(1_000, [200, null], [400, 30], [600, 50], [800, 90]))).toBeCloseTo(40);
  expect(percentAtHalfTime(seen(1_000, [700, 70]))).toBeCloseTo(50);
  expect(percentAtHalfTime(seen(1_000, [200, 20], [400, 30]))).toBe(30);
  expect(percentAtHalfTime(seen(100))).toBe(0);
});

test('a percentage below an earlier one goes back', () => {
  expect(neverGoesBack(seen(9, [1, null], [2, 5], [3, null], [4, 5]))).toBe(true);
  expect(neverGoesBack(seen(9, [2, 5], [3, null], [4, 4]))).toBe(false);
});
