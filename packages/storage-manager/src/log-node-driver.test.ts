import { encodeEntry } from '@tessera/catalog';
import { expect, it } from 'vitest';
import { RecentEntries } from './log-node-driver.ts';

function entry(version: number, padding = 0) {
  return encodeEntry({
    version,
    epoch: 1,
    putId: 'x'.repeat(padding),
    prevSha256: '0'.repeat(64),
    time: '2026-01-01T00:00:00.000Z',
    records: [],
    txns: [],
  });
}

function recent(...versions: number[]): RecentEntries {
  const entries = new RecentEntries();
  for (const version of versions) entries.add(entry(version));
  return entries;
}

it('returns all changes between two versions, or nothing', () => {
  const entries = recent(5, 6, 7);
  expect(entries.between(4, 7)).toEqual([5, 6, 7].map((version) => entry(version).bytes));
  expect(entries.between(5, 6)).toEqual([entry(6).bytes]);
  expect(entries.between(3, 7)).toEqual([]);
  expect(entries.between(6, 8)).toEqual([]);
  expect(entries.between(7, 7)).toEqual([]);
  expect(entries.between(9, 7)).toEqual([]);
});

it('starts again after missing versions', () => {
  expect(recent(5, 6, 9).between(4, 6)).toEqual([]);
  expect(recent(5, 6, 9).between(8, 9)).toEqual([entry(9).bytes]);
});

it('keeps a few megabytes', () => {
  const entries = new RecentEntries();
  for (let version = 1; version <= 10; version++) entries.add(entry(version, 1 << 20));
  expect(entries.between(0, 10)).toEqual([]);
  expect(entries.between(7, 10)).toHaveLength(3);
});
