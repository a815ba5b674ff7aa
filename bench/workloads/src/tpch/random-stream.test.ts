import { expect, it } from 'vitest';
import { RandomStream } from './random-stream.ts';

it("is Park and Miller's sequence: from 1, number 10,000 is 1,043,618,065", () => {
  const stream = new RandomStream(1, 1, 0);
  stream.skip(9_999);
  expect(stream.next()).toBe(1_043_618_065);
});

it('can start at any row as if all earlier numbers had been drawn', () => {
  for (const [seed, perRow, row] of [
    [1, 1, 1],
    [2_147_483_646, 7, 3],
    [1_095_462_486, 14, 12_345],
  ] as const) {
    const stepped = new RandomStream(seed, perRow, 0);
    stepped.skip(perRow * row);
    expect(new RandomStream(seed, perRow, row).next()).toBe(stepped.next());
  }
});

it('draws integers between both bounds, inclusive', () => {
  const stream = new RandomStream(209_208_115, 1, 0);
  const drawn = new Set(Array.from({ length: 1000 }, () => stream.integer(-2, 3)));
  expect([...drawn].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3]);
});
