import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail } from '@tessera/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CheckedCall, checkStore } from './check-store.ts';
import { openLocalStore } from './local/local-store.ts';
import { measuredStore } from './measured-store.ts';
import type { ObjectStore } from './object-store.ts';

let directory: string;
let store: ObjectStore;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-check-store-'));
  store = await openLocalStore(directory, { fsync: false });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const outcomes = async (checked: ObjectStore): Promise<CheckedCall[]> => {
  const calls: CheckedCall[] = [];
  for await (const call of checkStore(checked, 's3')) calls.push(call);
  return calls;
};
const problems = async (more: Partial<ObjectStore>) =>
  (await outcomes({ ...measuredStore(store), ...more }))
    .filter(({ problem }) => problem !== undefined)
    .map(({ call, problem, needs }) => [call, problem, needs]);

it('reports no problem of a suitable store, and leaves nothing behind', async () => {
  expect((await outcomes(store)).map(({ call, problem }) => [call, problem])).toEqual([
    ['write an object', undefined],
    ['read an object', undefined],
    ['read a range of an object', undefined],
    ['read the size of an object', undefined],
    ['notice that an object does not exist', undefined],
    ['create an object only if there is none', undefined],
    ['replace an object only if it has not changed', undefined],
    ['write a large object in parts', undefined],
    ['list objects', undefined],
    ['delete objects', undefined],
  ]);
  const left: string[] = [];
  for await (const { key } of store.list('')) left.push(key);
  expect(left).toEqual([]);
});

it('names each call that is refused, and the permission that it needs', async () => {
  const denied = async () => fail('STORAGE_UNAVAILABLE', { url: 's3://b/k', reason: 'access is denied' });
  expect(await problems({ delete: denied })).toEqual([
    ['delete objects', expect.stringContaining('access is denied'), 's3:DeleteObject'],
  ]);
  expect(await problems({ getRange: denied })).toEqual([
    ['read a range of an object', expect.stringContaining('access is denied'), 's3:GetObject'],
  ]);
});

it('reports a store that ignores conditions', async () => {
  const putIfAbsent: ObjectStore['putIfAbsent'] = async (key, body) => {
    await store.put(key, body);
    return 'created';
  };
  const putIfMatch: ObjectStore['putIfMatch'] = async (key, body) => {
    await store.put(key, body);
    return 'replaced';
  };
  expect((await problems({ putIfAbsent, putIfMatch })).map(([call]) => call)).toEqual([
    'create an object only if there is none',
    'replace an object only if it has not changed',
  ]);
});
