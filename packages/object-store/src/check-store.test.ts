import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail } from '@tessera/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BucketStore } from './bucket/bucket-store.ts';
import { type CheckedCall, checkStore } from './check-store.ts';
import { S3DevServer } from './dev-server/s3-dev-server.ts';
import type { S3DevUser } from './dev-server/s3-rights.ts';
import { openLocalStore } from './local/local-store.ts';
import { measuredStore } from './measured-store.ts';
import type { ObjectStore } from './object-store.ts';
import { S3Bucket } from './s3/s3-bucket.ts';

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
  expect((await outcomes(store)).map(({ call, outcome }) => [call, outcome])).toEqual([
    ['write an object', 'ok'],
    ['read an object', 'ok'],
    ['read a range of an object', 'ok'],
    ['read the size of an object', 'ok'],
    ['notice that an object does not exist', 'ok'],
    ['create an object only if there is none', 'ok'],
    ['replace an object only if it has not changed', 'ok'],
    ['write a large object in parts', 'ok'],
    ['list objects', 'ok'],
    ['delete objects', 'ok'],
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

it.each([
  [
    's3:GetObject',
    ['read an object', 'read a range of an object', 'read the size of an object'],
    's3:GetObject',
  ],
  ['s3:PutObject', ['write an object'], 's3:PutObject and s3:AbortMultipartUpload'],
  ['s3:DeleteObject', ['delete objects'], 's3:DeleteObject'],
  [
    's3:ListBucket',
    ['notice that an object does not exist', 'list objects'],
    's3:ListBucket on the bucket (without it S3 answers 403 for an object that does not exist)',
  ],
] as const)('names %s alone if only that is lacking at an S3 server', async (denied, calls, needs) => {
  const failed = await failedOn({ buckets: ['lake'], denied: [denied] });
  expect(failed.map(({ call }) => call)).toEqual(calls);
  for (const call of failed)
    expect(call).toMatchObject({ needs, problem: expect.stringContaining('access is denied') });
});

it('stops after the first call if the fault is no permission, and names none', async () => {
  const first = { call: 'write an object', outcome: 'failed' };
  const user = { buckets: ['lake', 'none'] };
  expect(await failedOn(user, { bucket: 'none' })).toEqual([
    { ...first, problem: expect.stringContaining('the bucket does not exist') },
  ]);
  expect(await failedOn(user, { accessKeyId: 'nobody' })).toEqual([
    { ...first, problem: expect.stringContaining('InvalidAccessKeyId') },
  ]);
});

it('a user of a self-hosted server who may not create buckets can use a bucket that exists', async () => {
  const user = { buckets: ['lake', 'none'], denied: ['s3:CreateBucket'] } as const;
  await withServer(user, async (bucket) => {
    await bucket().create();
    await expect(bucket({ bucket: 'none' }).create()).rejects.toMatchObject({ name: 'AccessDenied' });
  });
});

const CREDENTIALS = { accessKeyId: 'somebody', secretAccessKey: 'x' };
type User = Omit<S3DevUser, 'credentials'>;
type Place = { readonly bucket?: string; readonly accessKeyId?: string };

/** Gives `work` the buckets of a development server, which has the bucket `lake`, as a user sees them. */
async function withServer<T>(
  user: User,
  work: (bucket: (place?: Place) => S3Bucket) => Promise<T>,
): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'tessera-check-server-'));
  const users = [{ ...user, credentials: CREDENTIALS }];
  const server = await S3DevServer.start({ directory: root, port: 0, users });
  await mkdir(join(root, 'buckets', 'lake'), { recursive: true });
  try {
    const { endpoint } = server;
    return await work(
      ({ bucket = 'lake', ...more } = {}) =>
        new S3Bucket({ bucket, scheme: 's3://', endpoint, credentials: { ...CREDENTIALS, ...more } }),
    );
  } finally {
    await server.close();
    await rm(root, { recursive: true });
  }
}

/** The calls that fail for a user of the server. */
const failedOn = (user: User, place: Place = {}): Promise<CheckedCall[]> =>
  withServer(user, async (bucket) => {
    const checked = new BucketStore(bucket(place), 'instance/');
    const found = await outcomes(checked);
    await checked.close();
    return found.filter(({ outcome }) => outcome === 'failed');
  });
