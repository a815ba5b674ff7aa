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

const bytesOf = (version: number): Uint8Array => new Uint8Array(entry(version).bytes);

function recent(...versions: number[]): RecentEntries {
  const entries = new RecentEntries();
  for (const version of versions) entries.add(entry(version));
  return entries;
}

it('returns all changes between two versions, or nothing', () => {
  const entries = recent(5, 6, 7);
  expect(entries.between(4, 7)).toEqual([5, 6, 7].map(bytesOf));
  expect(entries.between(5, 6)).toEqual([bytesOf(6)]);
  expect(entries.between(3, 7)).toEqual([]);
  expect(entries.between(6, 8)).toEqual([]);
  expect(entries.between(7, 7)).toEqual([]);
  expect(entries.between(9, 7)).toEqual([]);
});

it('starts again after missing versions', () => {
  expect(recent(5, 6, 9).between(4, 6)).toEqual([]);
  expect(recent(5, 6, 9).between(8, 9)).toEqual([bytesOf(9)]);
});

it('keeps a few megabytes', () => {
  const entries = new RecentEntries();
  for (let version = 1; version <= 10; version++) entries.add(entry(version, 1 << 20));
  expect(entries.between(0, 10)).toEqual([]);
  expect(entries.between(7, 10)).toHaveLength(3);
});

it('keeps the bytes of small entries alone, not the pool of buffers that they were made in', () => {
  const { entry: small, bytes, sha256 } = entry(1);
  const pool = Buffer.alloc(65_536);
  pool.set(bytes, 100);
  const entries = new RecentEntries();
  entries.add({ entry: small, bytes: pool.subarray(100, 100 + bytes.length), sha256 });
  const [kept] = entries.between(0, 1);
  expect(Buffer.from(kept!)).toEqual(Buffer.from(bytes));
  expect(kept!.buffer.byteLength).toBe(bytes.length);
});
