import { expect, test } from 'vitest';
import { powerLaw } from './power-law.ts';

test.for([
  ['in proportion', (x: number) => 3 * x, 1],
  ['with the square', (x: number) => x * x, 2],
  ['with the root', (x: number) => 7 * Math.sqrt(x), 0.5],
  ['not at all', () => 4, 0],
] as const)('what grows %s has that exponent, and is explained', ([, of, exponent]) => {
  const found = powerLaw([0.1, 0.3, 1, 3].map((x) => [x, of(x)] as const))!;
  expect(found.exponent).toBeCloseTo(exponent, 10);
  expect(found.r2).toBeCloseTo(1, 10);
});

test('scattered values are explained in part', () => {
  const { exponent, r2 } = powerLaw([
    [1, 1],
    [2, 3],
    [4, 2],
    [8, 7],
  ])!;
  expect(exponent).toBeCloseTo(0.784, 2);
  expect(r2).toBeGreaterThan(0.5);
  expect(r2).toBeLessThan(0.9);
});

test('one point, or none, has no power law', () => {
  expect(powerLaw([[1, 1]])).toBeUndefined();
  expect(
    powerLaw([
      [1, 0],
      [2, 1],
    ]),
  ).toBeUndefined();
});
