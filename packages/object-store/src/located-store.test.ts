import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail } from '@tessera/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ObjectCredentials } from './external/object-access.ts';
import { openLocalStore } from './local/local-store.ts';
import { locatedStore } from './located-store.ts';
import { measuredStore } from './measured-store.ts';
import type { ObjectStore } from './object-store.ts';

let directory: string;
let own: ObjectStore;
const lake = new Map<string, ObjectStore>();
let opened = 0;
/** The credentials of a LOCATION object, as this process and as the newest catalog knows them. */
let known: ObjectCredentials | undefined;
let newest: ObjectCredentials | undefined;
const ID = '01JZ00000000000000000000AB';
let store: ObjectStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-located-'));
  own = await openLocalStore(join(directory, 'own'), { fsync: false });
  lake.set('s3://lake/', await openLocalStore(join(directory, 'lake'), { fsync: false }));
  const open = async (url: string, credentials: ObjectCredentials | undefined) => {
    opened++;
    const bucket = lake.get(url);
    if (bucket === undefined) throw new Error(`no bucket ${url}`);
    if (url === 's3://vault/' && credentials?.aws_access_key_id !== 'right')
      return {
        ...measuredStore(bucket),
        get: async () => fail('STORAGE_UNAVAILABLE', { url, reason: 'denied' }),
      };
    return bucket;
  };
  store = locatedStore(own, open, { known: () => known, newest: async () => newest });
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

it('opens a bucket with the credentials of its LOCATION object, and again after they were changed', async () => {
  lake.set('s3://vault/', await openLocalStore(join(directory, 'vault'), { fsync: false }));
  const key = `s3://${ID}@vault/x/tablets/t/1`;
  await expect(store.get(key)).rejects.toMatchObject({
    name: 'STORAGE_UNAVAILABLE',
    message: expect.stringMatching(/^s3:\/\/vault\/.* the LOCATION object with its credentials was dropped/s),
  });
  newest = { aws_access_key_id: 'right', aws_secret_access_key: 'x' };
  await store.put(key, bytes('guarded'));
  expect(await keysOf(store, `s3://${ID}@vault/x/`)).toEqual([key]);
  // This process does not know of the change yet.
  known = { aws_access_key_id: 'former', aws_secret_access_key: 'x' };
  expect(String((await store.get(key))?.body)).toBe('guarded');
  known = newest;
  const before = opened;
  expect(String((await store.get(key))?.body)).toBe('guarded');
  expect(opened).toBe(before);
  await store.delete([key]);
  expect(await keysOf(lake.get('s3://vault/')!, '')).toEqual([]);
});
