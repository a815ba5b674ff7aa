import type { ObjectStore } from '@tessera/object-store';
import { DeletedRows, vectorContent } from '@tessera/tablet';
import { expect, test } from 'vitest';
import type { ScanTablet } from '../storage-agent.ts';
import { VectorCache } from './vector-cache.ts';

const objects = new Map<string, Uint8Array>();
const store = {
  url: 'memory:',
  get: async (key: string) => {
    const body = objects.get(key);
    return body && { body, etag: '' };
  },
} as unknown as ObjectStore;

/** A scan of a tablet without every other one of its first rows. */
function scanWithout(deleted: number, tabletId = 't'): ScanTablet {
  const content = vectorContent(DeletedRows.of(Array.from({ length: deleted }, (_, i) => 2 * i)));
  const stored = 'object' in content ? { rows: content.rows, key: `dv/${deleted}` } : content;
  if ('object' in content) objects.set(`dv/${deleted}`, content.object);
  const ids = { tabletId, tableId: 'u' };
  return { tablet: { id: tabletId }, vector: { ...ids, ...stored } } as unknown as ScanTablet;
}

test('only the newest of many versions of a deletion vector takes memory', async () => {
  const cache = new VectorCache(store);
  for (let deleted = 1; deleted <= 300; deleted++)
    expect((await cache.deletedRows(scanWithout(deleted))).all()).toHaveLength(deleted);
  const one = new VectorCache(store);
  const newest = await one.deletedRows(scanWithout(300));
  expect(cache.bytes).toBe(one.bytes);
  expect(await one.deletedRows(scanWithout(300))).toBe(newest);
  // A statement that still reads an older snapshot gets the rows of that one.
  const older = await cache.deletedRows(scanWithout(298));
  expect(older.rows).toBe(298);
  expect(older.within({ from: 7, to: 12 })).toEqual([
    { from: 8, to: 9 },
    { from: 10, to: 11 },
  ]);
});

test('the deletion vectors of many tablets take a bounded amount of memory', async () => {
  const cache = new VectorCache(store, 500_000);
  const [first, second] = [scanWithout(300, 'first'), scanWithout(300, 'second')];
  const kept = await cache.deletedRows(first);
  const dropped = await cache.deletedRows(second);
  for (let i = 0; i < 100; i++) {
    await cache.deletedRows(scanWithout(300, `tablet ${i}`));
    expect(cache.bytes).toBeLessThanOrEqual(500_000);
    // Others are dropped before the one that was used last.
    expect(await cache.deletedRows(first)).toBe(kept);
  }
  expect(await cache.deletedRows(second)).not.toBe(dropped);
});

test('a vector with more rows than the limit is kept until the next one is read; a failure is not kept', async () => {
  const cache = new VectorCache(store, 10_000);
  const large = scanWithout(9_000, 'large');
  expect((await cache.deletedRows(large)).rows).toBe(9_000);
  expect(cache.bytes).toBeGreaterThan(10_000);
  await cache.deletedRows(scanWithout(1));
  expect(cache.bytes).toBeLessThan(10_000);
  const object = objects.get('dv/9000')!;
  objects.delete('dv/9000');
  const before = cache.bytes;
  await expect(cache.deletedRows(large)).rejects.toMatchObject({ name: 'OBJECT_NOT_FOUND' });
  expect(cache.bytes).toBe(before);
  objects.set('dv/9000', object);
  expect((await cache.deletedRows(large)).rows).toBe(9_000);
});
