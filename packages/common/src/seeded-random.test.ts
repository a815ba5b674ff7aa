import { expect, test } from 'vitest';
import { SeededRandom } from './seeded-random.ts';

test('a seed always gives the same numbers, because seeds of failures are recorded', () => {
  const random = new SeededRandom(1);
  expect(Array.from({ length: 3 }, () => Math.floor(random.fraction() * 1e6))).toEqual([
    627073, 2735, 527447,
  ]);
});

test('numbers between bounds reach both, and none beyond', () => {
  const random = new SeededRandom(7);
  const drawn = new Set(Array.from({ length: 1000 }, () => random.between(3, 6)));
  expect([...drawn].sort()).toEqual([3, 4, 5, 6]);
  expect(new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b'])))).toEqual(new Set(['a', 'b']));
});
