import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLocalStore } from './local/local-store.ts';
import { measuredStore, type StoreRequest, storeRequests } from './measured-store.ts';
import type { ObjectStore } from './object-store.ts';

let directory: string;
let store: ObjectStore;
let published: StoreRequest[] = [];
const end = storeRequests.listen((request) => published.push(request));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-measured-'));
  store = measuredStore(await openLocalStore(join(directory, 'objects'), { fsync: false }));
});

afterAll(async () => {
  end();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

/** The measurements published during the work, without their durations. */
async function requestsOf(work: () => Promise<unknown>) {
  published = [];
  await work().catch(() => undefined);
  expect(published.every(({ seconds }) => seconds >= 0)).toBe(true);
  return published.map(({ key, operation, outcome, bytesRead, bytesWritten }) => [
    key,
    operation,
    outcome,
    bytesRead,
    bytesWritten,
  ]);
}

it('reports the kind, the outcome and the bytes of every request', async () => {
  const body = new Uint8Array(10);
  const path = join(directory, 'file');
  await writeFile(path, 'twelve bytes');
  expect(await requestsOf(() => store.put('a', body))).toEqual([['a', 'put', 'ok', 0, 10]]);
  expect(await requestsOf(() => store.putFile('f', path))).toEqual([['f', 'put', 'ok', 0, 12]]);
  expect(await requestsOf(() => store.putIfAbsent('b', body))).toEqual([['b', 'put_if', 'ok', 0, 10]]);
  expect(await requestsOf(() => store.putIfAbsent('b', body))).toEqual([['b', 'put_if', 'refused', 0, 0]]);
  expect(await requestsOf(() => store.putIfMatch('b', body, 'other'))).toEqual([
    ['b', 'put_if', 'refused', 0, 0],
  ]);
  expect(await requestsOf(() => store.get('a'))).toEqual([['a', 'get', 'ok', 10, 0]]);
  expect(await requestsOf(() => store.get('absent'))).toEqual([['absent', 'get', 'ok', 0, 0]]);
  expect(await requestsOf(() => store.getRange('a', 2, 5))).toEqual([['a', 'get_range', 'ok', 3, 0]]);
  expect(await requestsOf(() => store.getRange('absent', 2, 5))).toEqual([
    ['absent', 'get_range', 'OBJECT_NOT_FOUND', 0, 0],
  ]);
  expect(await requestsOf(() => store.head('a'))).toEqual([['a', 'head', 'ok', 0, 0]]);
  expect(await requestsOf(() => store.delete(['b']))).toEqual([['b', 'delete', 'ok', 0, 0]]);
});

it('reports a listing once, even if it is not read to its end', async () => {
  const keys: string[] = [];
  const listed = await requestsOf(async () => {
    for await (const { key } of store.list('')) keys.push(key);
  });
  expect(keys).toEqual(['a', 'f']);
  expect(listed).toEqual([['', 'list', 'ok', 0, 0]]);
  const broken = await requestsOf(async () => {
    for await (const _ of store.list('')) break;
  });
  expect(broken).toEqual([['', 'list', 'ok', 0, 0]]);
});

it('keeps methods that only some stores have', () => {
  expect(store.localPath?.('a')).toBe(join(directory, 'objects', 'a'));
});
