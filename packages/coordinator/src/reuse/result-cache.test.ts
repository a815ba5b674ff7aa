import type { ObjectId, Snapshot, TableObject } from '@tessera/catalog';
import { expect, it } from 'vitest';
import type { ResultChunk, RowsResult } from '../request/statement-result.ts';
import { recordedChunks } from './recorded-chunks.ts';
import { ResultCache } from './result-cache.ts';

const id = 'table' as ObjectId;
const object = { id, kind: 'table', name: 't' } as TableObject;

const at = (version: number, now: TableObject = object): Snapshot =>
  ({ object: () => now, contentsVersion: () => version }) as unknown as Snapshot;

const reuse = (key: string, version = 1) => ({ key, sources: [{ id, object, version }] });

const result = (kilobytes: number, costMs = 1, version = 1) => ({
  columns: [],
  chunks: [{ bytes: new Uint8Array(kilobytes * 1024), rows: 1 }],
  sources: reuse('', version).sources,
  costMs,
});

/** A quarter of the limit is for results that are being read. */
const LIMIT = (4 / 3) * (1 << 20);
const MEGABYTE = 1 << 20;

it('returns a result for the same definition and contents only', () => {
  const cache = new ResultCache(LIMIT);
  cache.add('q', result(1));
  expect(cache.get(reuse('q'), at(1))).toBeDefined();
  expect(cache.get(reuse('q'), at(2))).toBeUndefined();
  expect(cache.get(reuse('q'), at(1, { ...object }))).toBeUndefined();
  expect(cache.get(reuse('p'), at(1))).toBeUndefined();
  expect(cache.hits).toBe(1);
});

it('stays within its memory, and keeps what took long and was used', () => {
  const cache = new ResultCache(LIMIT);
  cache.add('slow', result(60, 1_000));
  for (let i = 0; i < 100; i++) {
    cache.add(`q${i}`, result(60));
    if (i % 5 === 0) expect(cache.get(reuse('q0'), at(1)), String(i)).toBeDefined();
    expect(cache.bytes).toBeLessThanOrEqual(MEGABYTE);
  }
  expect(cache.get(reuse('slow'), at(1))).toBeDefined();
  expect(cache.get(reuse('q1'), at(1))).toBeUndefined();
  expect(cache.size).toBe(16);
});

it('forgets even a costly result that nobody uses', () => {
  const cache = new ResultCache(LIMIT);
  cache.add('slow', result(60, 50));
  for (let i = 0; i < 1_000; i++) cache.add(`q${i}`, result(60));
  expect(cache.get(reuse('slow'), at(1))).toBeUndefined();
});

it('looks for the result to drop only among those that were not used for the longest time', () => {
  const cache = new ResultCache(LIMIT);
  for (let i = 0; cache.bytes + 3_000 < MEGABYTE; i++) cache.add(`q${i}`, result(1, 1_000));
  const { size } = cache;
  expect(size).toBeGreaterThan(64);
  cache.add('cheap', result(3, 1));
  expect(cache.size).toBeLessThanOrEqual(size);
  expect(cache.get(reuse('cheap'), at(1))).toBeDefined();
});

it('counts a replaced result once, and keeps none that takes too large a share', () => {
  const cache = new ResultCache(LIMIT);
  cache.add('q', result(60));
  const { bytes } = cache;
  cache.add('q', result(60, 1, 2));
  expect([cache.bytes, cache.size]).toEqual([bytes, 1]);
  expect(cache.get(reuse('q'), at(2))).toBeDefined();
  cache.add('q', result(65));
  expect([cache.bytes, cache.size]).toEqual([0, 0]);
});

async function* chunks(...texts: string[]): AsyncGenerator<ResultChunk, void> {
  for (const text of texts) {
    const bytes = Buffer.from(text);
    yield { bytes, rows: 1, release: () => void bytes.fill(0) };
  }
}

it('keeps a copy of the chunks, whose memory is used again', async () => {
  const kept: string[] = [];
  const onEnd = (copies: readonly ResultChunk[]) => {
    kept.push(...copies.map(({ bytes }) => Buffer.from(bytes).toString()));
  };
  let left = 6;
  const memory = {
    take: (bytes: number) => {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
    give: (bytes: number) => {
      left += bytes;
    },
  };
  const recorded = (maxBytes: number) => recordedChunks(chunks('one', 'two'), { maxBytes, memory, onEnd });
  for await (const chunk of recorded(6)) chunk.release!();
  expect(kept).toEqual(['one', 'two']);
  for await (const _ of recorded(5));
  for await (const _ of recorded(6)) break;
  // There is not enough memory for two at a time.
  for await (const _ of recorded(6)) for await (const _ of recorded(6));
  expect(kept).toEqual(['one', 'two', 'one', 'two']);
  expect(left).toBe(6);
});

it('counts the queries that it did not know, if they are worth it', async () => {
  const cache = new ResultCache(LIMIT);
  const answer = { kind: 'rows', columns: [], chunks: chunks('x') } as unknown as RowsResult;
  const cacheable = { reuse: reuse('q'), costMs: 1 };
  expect(cache.keeping(answer, { ...cacheable, scannedRows: 9_999 })).toBe(answer);
  expect(cache.misses).toBe(0);
  for await (const _ of cache.keeping(answer, { ...cacheable, scannedRows: 10_000 }).chunks);
  expect([cache.misses, cache.size]).toEqual([1, 1]);
});
