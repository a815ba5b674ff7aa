import { expect, test } from 'vitest';
import { mergedFilters } from './bloom-filters.ts';

/** The bits that a key sets: those of the low and the high half of its hash. */
const indexesOf = (key: number, bits: number) =>
  [Math.imul(key, 0x9e3779b1) >>> 0, Math.imul(key ^ 0x5bd1e995, 0x85ebca6b) >>> 0].map(
    (half) => half & (bits - 1),
  );

function filterOf(keys: Iterable<number>, bytes: number): Uint8Array {
  const filter = new Uint8Array(bytes);
  for (const key of keys)
    for (const index of indexesOf(key, bytes * 8)) filter[index >> 3]! |= 128 >> (index & 7);
  return filter;
}

const has = (filter: Uint8Array, key: number): boolean =>
  indexesOf(key, filter.length * 8).every((index) => (filter[index >> 3]! & (128 >> (index & 7))) !== 0);

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

test('filters of different sizes are merged: all keys pass, and few others', () => {
  const merged = mergedFilters([
    filterOf(range(0, 4000), 2 ** 14),
    filterOf(range(4000, 4010), 2 ** 10),
    filterOf(range(9000, 12_000), 2 ** 13),
  ])!;
  for (const key of [...range(0, 4010), ...range(9000, 12_000)]) expect(has(merged, key)).toBe(true);
  const wrong = range(100_000, 110_000).filter((key) => has(merged, key)).length;
  expect(wrong).toBeLessThan(1_500);
});

test('a sparse filter is reduced', () => {
  const keys = range(0, 2000);
  const merged = mergedFilters([filterOf(keys, 2 ** 20), filterOf([], 2 ** 10)])!;
  expect(merged.length).toBeLessThanOrEqual(2 ** 12);
  for (const key of keys) expect(has(merged, key)).toBe(true);
  expect(range(100_000, 110_000).filter((key) => has(merged, key)).length).toBeLessThan(1_500);
});

test('a full filter is dropped', () => {
  expect(mergedFilters([filterOf(range(0, 20_000), 2 ** 10)])).toBeUndefined();
});

test('a filter may be at any offset of a message', () => {
  const filter = filterOf([5, 6, 7], 2 ** 10);
  const message = Buffer.alloc(3 + filter.length);
  message.set(filter, 3);
  expect(mergedFilters([message.subarray(3)])).toEqual(filter);
});
