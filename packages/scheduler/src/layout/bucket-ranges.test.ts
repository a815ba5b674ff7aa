import { HASH_BUCKETS } from '@tessera/planner';
import { expect, test } from 'vitest';
import { bucketRanges } from './bucket-ranges.ts';

const MiB = 1 << 20;
const sizes = (of: (bucket: number) => number) =>
  Float64Array.from({ length: HASH_BUCKETS }, (_, b) => of(b));
const covers = (ranges: readonly { from: number; to: number }[]) =>
  ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
const ALL = Array.from({ length: HASH_BUCKETS }, (_, b) => b);

test('even buckets are divided into even ranges', () => {
  const ranges = bucketRanges(
    sizes(() => MiB),
    { tasks: 4, minBytes: MiB },
  );
  expect(ranges.map(({ from, to }) => to - from)).toEqual([256, 256, 256, 256]);
  expect(covers(ranges)).toEqual(ALL);
});

test('few bytes become one range', () => {
  expect(
    bucketRanges(
      sizes(() => 10),
      { tasks: 4, minBytes: MiB },
    ),
  ).toMatchObject([{ from: 0, to: 1024, parts: 1 }]);
  expect(
    bucketRanges(
      sizes(() => 0),
      { tasks: 4, minBytes: MiB },
    ),
  ).toMatchObject([{ from: 0, to: 1024 }]);
});

test('uneven buckets are balanced as far as buckets allow', () => {
  const ranges = bucketRanges(
    sizes((b) => MiB * (1 + (b % 7))),
    { tasks: 3, minBytes: MiB },
  );
  const bytes = ranges.map((range) => range.bytes);
  expect(ranges).toHaveLength(3);
  expect(Math.max(...bytes) / Math.min(...bytes)).toBeLessThan(1.02);
});

test('a bucket that is too large gets a range of its own, and is sliced if that is allowed', () => {
  const hot = sizes((b) => (b === 500 ? 1000 * MiB : MiB));
  const plain = bucketRanges(hot, { tasks: 4, minBytes: MiB });
  expect(plain.every(({ parts }) => parts === 1)).toBe(true);
  expect(covers(plain)).toEqual(ALL);
  const cuttable = hot.map((bytes) => bytes * 0.9);
  const cut = bucketRanges(hot, { tasks: 4, minBytes: MiB, cuttable });
  expect(covers(cut)).toEqual(ALL);
  expect(cut.find(({ from, to }) => from === 500 && to === 501)).toMatchObject({ parts: 2 });
});

test('a bucket whose other side is large is not sliced, because each slice would read that side whole', () => {
  const hot = sizes((b) => (b === 500 ? 1000 * MiB : MiB));
  const cuttable = hot.map((bytes) => bytes * 0.5);
  const ranges = bucketRanges(hot, { tasks: 4, minBytes: MiB, cuttable });
  expect(ranges.every(({ parts }) => parts === 1)).toBe(true);
});
