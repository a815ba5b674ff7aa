import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TesseraError } from '@tessera/common';
import { defaultConfig } from '@tessera/config';
import { type ObjectStore, openStoreAt } from '@tessera/object-store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { IDENTITY_KEY } from './log-node/identity.ts';
import { readIdentity, storeIdentity } from './store-identity.ts';

let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-identity-'));
  store = await openStoreAt(directory, defaultConfig());
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const unavailable = () =>
  TesseraError.of('STORAGE_UNAVAILABLE', { url: store.url, reason: 'SlowDown', outcome: 'unknown' });

test('nodes that open a new store concurrently agree on its identity, and later ones get the same', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => storeIdentity(store, 1_000)));
  expect(new Set(ids).size).toBe(1);
  expect(await storeIdentity(store, 1_000)).toBe(ids[0]);
  expect(await readIdentity(store)).toBe(ids[0]);
});

test('a store with content and without an identity gets one, and nothing else in it changes', async () => {
  await store.put('meta/log/00000000000000000001.json', new TextEncoder().encode('{}'));
  expect(await readIdentity(store)).toBeUndefined();
  await storeIdentity(store, 1_000);
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  expect(keys).toEqual([IDENTITY_KEY, 'meta/log/00000000000000000001.json']);
});

test('an answer that is lost does not make a second identity', async () => {
  let [puts, gets] = [0, 0];
  const faulty: ObjectStore = Object.assign(Object.create(store), {
    get: (key: string) => (++gets === 1 ? Promise.reject(unavailable()) : store.get(key)),
    putIfAbsent: async (key: string, body: Uint8Array) => {
      const outcome = await store.putIfAbsent(key, body);
      if (++puts === 1) throw unavailable();
      return outcome;
    },
  });
  const id = await storeIdentity(faulty, 5_000);
  expect(await readIdentity(store)).toBe(id);
  expect([puts, gets]).toEqual([1, 3]);
});

test('opening an unresponsive store fails in time', async () => {
  const down: ObjectStore = Object.assign(Object.create(store), { get: () => Promise.reject(unavailable()) });
  await expect(storeIdentity(down, 150)).rejects.toMatchObject({ name: 'STORAGE_UNAVAILABLE' });
});

test('a damaged identity is not replaced', async () => {
  await store.put(IDENTITY_KEY, new TextEncoder().encode('{"format":1'));
  await expect(storeIdentity(store, 1_000)).rejects.toMatchObject({ name: 'METADATA_UNAVAILABLE' });
  expect(new TextDecoder().decode((await store.get(IDENTITY_KEY))!.body)).toBe('{"format":1');
});
