import { describe, expect, test } from 'vitest';
import { figure, meetsTarget, percentile } from './figure.ts';

describe('percentile', () => {
  test('interpolates linearly between neighbours', () => {
    const ascending = [10, 20, 30, 40];
    expect([0, 25, 50, 90, 100].map((p) => percentile(ascending, p))).toEqual([10, 17.5, 25, 37, 40]);
  });

  test('is the sample itself if there is one, and NaN if there is none', () => {
    expect(percentile([7], 99)).toBe(7);
    expect(percentile([], 50)).toBeNaN();
  });
});

describe('figure', () => {
  test('takes median and spread from samples in any order, compared as numbers', () => {
    expect(figure('ms', [100, 9, 20])).toEqual({ unit: 'ms', median: 20, min: 9, max: 100, runs: 3 });
  });

  test.for([
    ['most', 1.3, true],
    ['most', 1.2, false],
    ['least', 1.3, true],
    ['least', 1.4, false],
  ] as const)('a median of 1.3 against at %s %d: %s', ([at, value, met]) => {
    expect(meetsTarget(figure('×', [0.1, 1.3, 9], { at, value }))).toBe(met);
  });

  test('without samples meets no target', () => {
    expect(meetsTarget(figure('s', [], { at: 'most', value: 1 }))).toBe(false);
    expect(meetsTarget(figure('s', [], { at: 'least', value: 1 }))).toBe(false);
  });
});
