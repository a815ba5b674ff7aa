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
function scanWithout(deleted: number): ScanTablet {
  const content = vectorContent(DeletedRows.of(Array.from({ length: deleted }, (_, i) => 2 * i)));
  const stored = 'object' in content ? { rows: content.rows, key: `dv/${deleted}` } : content;
  if ('object' in content) objects.set(`dv/${deleted}`, content.object);
  const ids = { tabletId: 't', tableId: 'u' };
  return { tablet: { id: 't' }, vector: { ...ids, ...stored } } as unknown as ScanTablet;
}

test('the deleted rows of many versions of a tablet take a bounded amount of memory', async () => {
  const cache = new VectorCache(store, 1_000);
  for (let deleted = 1; deleted <= 300; deleted++) {
    expect((await cache.deletedRows(scanWithout(deleted))).all()).toHaveLength(deleted);
    expect(cache.positions).toBeLessThanOrEqual(1_000);
  }
  const [older, newest] = [scanWithout(298), scanWithout(300)];
  expect(await cache.deletedRows(newest)).toBe(await cache.deletedRows(newest));
  const again = await cache.deletedRows(older);
  expect(again.within({ from: 7, to: 12 })).toEqual([
    { from: 8, to: 9 },
    { from: 10, to: 11 },
  ]);
  // It was used last, so others are dropped before it.
  await cache.deletedRows(scanWithout(400));
  expect(await cache.deletedRows(older)).toBe(again);
});

test('a vector with more rows than the limit is kept until the next one is read; a failure is not kept', async () => {
  const cache = new VectorCache(store, 1_000);
  const large = scanWithout(9_000);
  expect((await cache.deletedRows(large)).rows).toBe(9_000);
  expect(cache.positions).toBe(9_000);
  await cache.deletedRows(scanWithout(1));
  expect(cache.positions).toBe(1);
  const object = objects.get('dv/9000')!;
  objects.delete('dv/9000');
  await expect(cache.deletedRows(large)).rejects.toMatchObject({ name: 'OBJECT_NOT_FOUND' });
  objects.set('dv/9000', object);
  expect((await cache.deletedRows(large)).rows).toBe(9_000);
});
