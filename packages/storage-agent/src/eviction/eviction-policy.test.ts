import { expect, test } from 'vitest';
import { type EvictionLimits, roomForTablets, tabletsToDisplace, tabletsToEvict } from './eviction-policy.ts';

const limits: EvictionLimits = {
  maxTablets: 100,
  softFree: 0.4,
  hardFree: 0.2,
  minAgeMs: 1_800_000,
  unusedMs: 21_600_000,
};
const NOW = 100_000_000;
const SECOND = 1_000;
const tablet = (id: string, ageSeconds: number, bytes = 100) => ({
  id,
  bytes,
  lastUsedMs: NOW - ageSeconds * SECOND,
});
const evict = (
  tablets: ReturnType<typeof tablet>[],
  usedBytes: number,
  changes: Partial<EvictionLimits> = {},
) => tabletsToEvict(tablets, { totalBytes: 1_000, usedBytes }, { ...limits, ...changes }, NOW);

test('with enough free memory nothing is evicted before the time for full eviction', () => {
  expect(evict([tablet('a', 21_599), tablet('b', 5)], 600)).toEqual([]);
  expect(evict([tablet('a', 21_600), tablet('b', 5)], 600)).toEqual(['a']);
});

test('below the soft threshold, tablets above the minimum age are evicted, the least recently used first, until it is met', () => {
  const tablets = [
    tablet('young', 1_799),
    tablet('older', 1_900),
    tablet('oldest', 5_000),
    tablet('old', 1_850),
  ];
  expect(evict(tablets, 601)).toEqual(['oldest']);
  expect(evict(tablets, 750)).toEqual(['oldest', 'older']);
  expect(evict(tablets, 790)).toEqual(['oldest', 'older']);
  expect(evict(tablets, 801)).toEqual(['oldest', 'older', 'old']);
});

test('below the hard threshold, tablets of any age are evicted until it is met', () => {
  const tablets = [tablet('a', 30), tablet('b', 20), tablet('c', 10)];
  expect(evict(tablets, 800)).toEqual([]);
  expect(evict(tablets, 801)).toEqual(['a']);
  expect(evict(tablets, 950)).toEqual(['a', 'b']);
});

test('no more tablets stay in memory than its size allows', () => {
  const tablets = [tablet('a', 3), tablet('b', 2), tablet('c', 1)];
  expect(evict(tablets, 0, { maxTablets: 1 })).toEqual(['a', 'b']);
});

test('the room for tablets ends at the soft threshold', () => {
  expect(roomForTablets({ totalBytes: 1_000, usedBytes: 450 }, limits)).toBe(150);
  expect(roomForTablets({ totalBytes: 1_000, usedBytes: 900 }, limits)).toBe(0);
});

test('loading evicts only as many tablets as needed, and only those above the minimum age', () => {
  const tablets = [tablet('young', 60), tablet('old', 2_000), tablet('oldest', 4_000)];
  const displace = (bytes: number, count = 1, usedBytes = 300) =>
    tabletsToDisplace(tablets, { totalBytes: 1_000, usedBytes }, limits, { bytes, tablets: count }, NOW);
  expect(displace(300)).toEqual([]);
  expect(displace(301)).toEqual(['oldest']);
  expect(displace(450)).toEqual(['oldest', 'old']);
  expect(displace(900)).toEqual(['oldest', 'old']);
  expect(displace(1, 98)).toEqual(['oldest']);
});
