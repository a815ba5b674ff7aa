import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLocalStore } from './local/local-store.ts';
import { locatedStore } from './located-store.ts';
import type { ObjectStore } from './object-store.ts';

let directory: string;
let own: ObjectStore;
const lake = new Map<string, ObjectStore>();
let opened = 0;
let store: ObjectStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-located-'));
  own = await openLocalStore(join(directory, 'own'), { fsync: false });
  lake.set('s3://lake/', await openLocalStore(join(directory, 'lake'), { fsync: false }));
  store = locatedStore(own, async (url) => {
    opened++;
    return lake.get(url) ?? Promise.reject(new Error(`no bucket ${url}`));
  });
});

afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const bytes = (text: string) => new TextEncoder().encode(text);
const keysOf = async (of: ObjectStore, prefix: string, startAfter?: string) => {
  const keys: string[] = [];
  for await (const { key } of of.list(prefix, startAfter === undefined ? {} : { startAfter })) keys.push(key);
  return keys;
};

it('keeps objects with URLs as keys in their buckets, and the others in its own', async () => {
  await store.put('tablets/t/1', bytes('own'));
  for (const n of [1, 2]) await store.put(`s3://lake/x/tablets/t/${n}`, bytes(`located ${n}`));
  expect(await keysOf(own, '')).toEqual(['tablets/t/1']);
  expect(await keysOf(lake.get('s3://lake/')!, '')).toEqual(['x/tablets/t/1', 'x/tablets/t/2']);
  expect(await keysOf(store, 's3://lake/x/tablets/')).toEqual([
    's3://lake/x/tablets/t/1',
    's3://lake/x/tablets/t/2',
  ]);
  expect(await keysOf(store, 's3://lake/x/', 's3://lake/x/tablets/t/1')).toEqual(['s3://lake/x/tablets/t/2']);
  expect(await store.head('s3://lake/x/tablets/t/1')).toMatchObject({
    key: 's3://lake/x/tablets/t/1',
    bytes: 9,
  });
  expect(Buffer.from(await store.getRange('s3://lake/x/tablets/t/1', 0, 7)).toString()).toBe('located');
  expect(store.localPath!('tablets/t/1')).toContain('own');
  await store.delete(['tablets/t/1', 's3://lake/x/tablets/t/1', 's3://lake/x/tablets/t/2']);
  expect([...(await keysOf(own, '')), ...(await keysOf(lake.get('s3://lake/')!, ''))]).toEqual([]);
  expect(opened).toBe(1);
});

it('retries to open a bucket that could not be opened', async () => {
  await expect(store.put('s3://later/a', bytes('a'))).rejects.toThrow('no bucket s3://later/');
  lake.set('s3://later/', await openLocalStore(join(directory, 'later'), { fsync: false }));
  await store.put('s3://later/a', bytes('a'));
  expect(await keysOf(store, 's3://later/')).toEqual(['s3://later/a']);
});
