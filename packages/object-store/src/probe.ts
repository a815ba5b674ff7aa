import { randomUUID } from 'node:crypto';
import { fail } from '@tessera/common';
import type { ObjectStore, RequestOptions } from './object-store.ts';

const OLD = Buffer.from('Written by the start-up probe of conditional writes; may be deleted.\n');
const NEW = Buffer.from(
  'Written by the start-up probe of conditional writes over the first; may be deleted.\n',
);

/**
 * Tests whether conditional writes really are conditional, because nothing else keeps two writers of the
 * metadata log apart, and whether a listing shows them. Leaves no object behind.
 * @throws STORAGE_UNSUITABLE if they are not; STORAGE_UNAVAILABLE if the store does not answer
 */
export async function probeConditionalWrites(store: ObjectStore, options?: RequestOptions): Promise<void> {
  const key = `probe/${randomUUID()}`;
  const stale = `${key}-stale`;
  try {
    const first = await store.putIfAbsent(key, OLD, options);
    const second = await store.putIfAbsent(key, NEW, options);
    // `exists` for the first write may be caused by its own earlier attempt, whose response was lost: the
    // content decides.
    if (second !== 'exists') refuse(store, 'it overwrites an object that was to be created (If-None-Match)');
    const found = await store.get(key, options);
    if (found === undefined || !OLD.equals(found.body)) {
      refuse(store, `it answered "${first}" and "${second}", yet does not hold the object created first`);
    }
    await store.put(stale, OLD, options);
    const other = await store.head(stale, options);
    if (other === undefined) refuse(store, 'it does not show an object that was just written');
    const replaced = await store.putIfMatch(key, NEW, found.etag, options);
    const again = await store.putIfMatch(key, OLD, found.etag, options);
    if (again !== 'changed') refuse(store, 'it replaces an object that has changed (If-Match)');
    const after = await store.get(key, options);
    if (after === undefined || !NEW.equals(after.body)) {
      refuse(store, `it answered "${replaced}" to a conditional replacement that it did not make`);
    }
    for await (const object of store.list(key, options)) if (object.key === key) return;
    refuse(store, 'its listing does not show an object that was just written');
  } finally {
    await store.delete([key, stale]).catch(() => {});
  }
}

function refuse(store: ObjectStore, what: string): never {
  return fail('STORAGE_UNSUITABLE', {
    message: `${store.url} cannot hold the metadata of a cluster: ${what}`,
  });
}
