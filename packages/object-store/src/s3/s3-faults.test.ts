import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '@tessera/config';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BucketStore } from '../bucket/bucket-store.ts';
import { openObjectStore } from '../open-object-store.ts';
import { FaultProxy } from '../testing/fault-proxy.ts';
import type { Fault, FaultRule } from '../testing/fault-rules.ts';
import { areInstalled, RADOSGW_PROGRAMS } from '../testing/installed.ts';
import { type RunningServer, type S3Facts, startServer } from '../testing/start-server.ts';
import { S3Bucket } from './s3-bucket.ts';

const skip = !areInstalled(...RADOSGW_PROGRAMS);

let server: RunningServer<S3Facts>;
let proxy: FaultProxy;
let direct: BucketStore;
let store: BucketStore;
let endpoint: string;
let key: string;

const bucketAt = (address: string, uploadTries?: number, bucket = 'faults') => {
  const { endpoint: _, ...credentials } = server.facts;
  return new S3Bucket({ bucket, scheme: 's3://', endpoint: address, credentials, uploadTries });
};

const faults = (...rules: FaultRule[]) => proxy.rules.set(rules);
const caught = () => proxy.rules.states().map((rule) => rule.caught);
const bytes = (text: string) => Buffer.from(text);
const SLOW_DOWN: Fault = { kind: 'answer', status: 503, code: 'SlowDown' };

describe.skipIf(skip)(skip ? 'S3 with faults: skipped, radosgw is not installed' : 'S3 with faults', () => {
  beforeAll(async () => {
    server = await startServer<S3Facts>('radosgw');
    proxy = new FaultProxy(server.facts.endpoint, 3);
    endpoint = await proxy.start();
    const bucket = bucketAt(server.facts.endpoint);
    await bucket.create();
    direct = new BucketStore(bucket, '');
    store = new BucketStore(bucketAt(endpoint, 12), '');
  });

  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  beforeEach(() => {
    proxy.rules.set([]);
    key = `key-${randomUUID()}`;
  });

  it('succeeds when 30 % of all requests are answered with SlowDown', async () => {
    faults({ fault: SLOW_DOWN, percent: 30 });
    const keys = Array.from({ length: 8 }, (_, n) => `${key}/${n}`);
    // Requests are sent one by one, so that only the seed determines which of them fail.
    for (const one of keys) {
      await store.put(one, bytes(one));
      expect(Buffer.from((await store.get(one))!.body).toString()).toBe(one);
    }
    await store.delete(keys);
    expect(caught()[0]).toBeGreaterThan(3);
  });

  it('gives up a write after upload_max_tries attempts and reports that it may have happened', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', server.facts.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', server.facts.secretAccessKey);
    onTestFinished(() => void vi.unstubAllEnvs());
    const storage = { type: 'minio', minio: { endpoint }, bucket_name: 'faults', upload_max_tries: 2 };
    const { config } = parseConfig(JSON.stringify({ schema_version: '1.0', storage }), 'test');
    const twice = await openObjectStore(config, { dataDirectory: tmpdir() });
    faults({ fault: SLOW_DOWN, method: 'PUT' });
    await expect(twice.put(key, bytes('x'))).rejects.toMatchObject({
      name: 'STORAGE_UNAVAILABLE',
      message: `s3://faults/${config.instance.id}/${key}: the server answered 503 (SlowDown: injected) (it may have been written)`,
    });
    expect(caught()).toEqual([2]);
  });

  it('reports that an object exists when the response to its creation was lost', async () => {
    faults({ fault: { kind: 'reset', passOn: true }, method: 'PUT', times: 1 });
    expect(await store.putIfAbsent(key, bytes('mine'))).toBe('exists');
    expect(Buffer.from((await direct.get(key))!.body).toString()).toBe('mine');
  });

  it('creates an object when its request was lost', async () => {
    faults({ fault: { kind: 'reset' }, method: 'PUT', times: 1 });
    expect(await store.putIfAbsent(key, bytes('mine'))).toBe('created');
  });

  it('reports that a creation may have happened when no response arrived', async () => {
    faults({ fault: { kind: 'reset', passOn: true }, method: 'PUT' });
    const once = new BucketStore(bucketAt(endpoint, 1), '');
    await expect(once.putIfAbsent(key, bytes('mine'))).rejects.toMatchObject({
      name: 'STORAGE_UNAVAILABLE',
      message: expect.stringContaining('may have been written'),
    });
    expect(Buffer.from((await direct.get(key))!.body).toString()).toBe('mine');
  });

  it('repeats a conditional write that conflicted with a concurrent one', async () => {
    faults({
      fault: { kind: 'answer', status: 409, code: 'ConditionalRequestConflict' },
      method: 'PUT',
      times: 3,
    });
    expect(await store.putIfAbsent(key, bytes('mine'))).toBe('created');
    expect(caught()).toEqual([3]);
  });

  it('treats 412 after its own earlier write as a conflict', async () => {
    faults({
      fault: { kind: 'answer', status: 412, code: 'PreconditionFailed', passOn: true },
      method: 'PUT',
      times: 1,
    });
    expect(await store.putIfAbsent(key, bytes('mine'))).toBe('exists');
  });

  it.each<[string, Fault]>([
    ['breaks off', { kind: 'truncate', share: 0.5 }],
    ['is answered by a reset', { kind: 'reset' }],
  ])('reads again when a body %s', async (_, fault) => {
    const body = Buffer.alloc(1_000_000, 'abc');
    await direct.put(key, body);
    faults({ fault, method: 'GET', times: 2 });
    expect(body.equals((await store.get(key))!.body)).toBe(true);
    faults({ fault, method: 'GET', times: 1 });
    expect(body.subarray(10, 500_000).equals(await store.getRange(key, 10, 500_000))).toBe(true);
    expect(caught()).toEqual([1]);
  });

  it('notices a range that is shorter than it says', async () => {
    await direct.put(key, Buffer.alloc(1_000, 'abc'));
    faults({ fault: { kind: 'truncate', share: 0.5, honestLength: true }, method: 'GET', times: 1 });
    expect(await store.getRange(key, 0, 600)).toHaveLength(600);
  });

  it('puts a large file in parts through resets and slow-downs', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tessera-parts-'));
    const body = Buffer.alloc(20_000_000, 'part');
    await writeFile(join(directory, 'large'), body);
    faults(
      { fault: { kind: 'reset', passOn: true }, method: 'PUT', path: 'partNumber=2', times: 1 },
      { fault: SLOW_DOWN, method: 'PUT', percent: 30 },
    );
    await store.putFile(key, join(directory, 'large'));
    await rm(directory, { recursive: true });
    expect(body.equals((await direct.get(key))!.body)).toBe(true);
    expect(caught()[0]).toBe(1);
  });

  it('stops waiting for a silent server when its caller does', async () => {
    faults({ fault: { kind: 'silence' } });
    const stop = new AbortController();
    const reading = store.get(key, { signal: stop.signal });
    await expect.poll(() => caught()).toEqual([1]);
    stop.abort();
    await expect(reading).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  });

  it('names what is wrong with the bucket or the credentials', async () => {
    const nowhere = new BucketStore(bucketAt(endpoint, 1, 'no-such-bucket'), '');
    await expect(nowhere.put(key, bytes('x'))).rejects.toMatchObject({
      name: 'STORAGE_UNAVAILABLE',
      message: `s3://no-such-bucket/${key}: the bucket does not exist`,
    });
    const credentials = { accessKeyId: 'tessera-test', secretAccessKey: 'wrong' };
    const stranger = new BucketStore(
      new S3Bucket({ bucket: 'faults', scheme: 's3://', endpoint, credentials }),
      '',
    );
    await expect(stranger.get(key)).rejects.toMatchObject({
      name: 'STORAGE_UNAVAILABLE',
      message: expect.stringContaining('access is denied ('),
    });
  });
});
