import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { BucketStore } from '../bucket/bucket-store.ts';
import { GcsBucket } from '../gcs/gcs-bucket.ts';
import { S3Bucket } from '../s3/s3-bucket.ts';
import { FakeGcs } from '../testing/fake-gcs.ts';
import { FaultProxy } from '../testing/fault-proxy.ts';
import { areInstalled, RADOSGW_PROGRAMS } from '../testing/installed.ts';
import { type RunningServer, type S3Facts, startServer } from '../testing/start-server.ts';
import { ExternalSources } from './external-sources.ts';
import type { ObjectCredentials } from './object-access.ts';

let root: string;
let requestDirectory: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'tessera-objects-')));
  requestDirectory = join(root, 'request');
  await mkdir(requestDirectory);
});

afterAll(() => rm(root, { recursive: true }));

const signal = new AbortController().signal;
const options = (more: { credentials?: ObjectCredentials; maxBytes?: number } = {}) => ({
  directory: requestDirectory,
  signal,
  maxBytes: 50_000_000,
  ...more,
});

const skip = !areInstalled(...RADOSGW_PROGRAMS);

describe.skipIf(skip)(skip ? 's3://: skipped, radosgw is not installed' : 's3://', () => {
  let server: RunningServer<S3Facts>;
  let proxy: FaultProxy;
  let endpoint: string;
  let sources: ExternalSources;
  let credentials: ObjectCredentials;
  const large = Buffer.alloc(20_000_000, 'large object ');

  beforeAll(async () => {
    server = await startServer<S3Facts>('radosgw');
    const { endpoint: target, accessKeyId, secretAccessKey } = server.facts;
    proxy = new FaultProxy(target);
    endpoint = await proxy.start();
    credentials = { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey };
    for (const name of ['lake', 'private']) {
      const bucket = new S3Bucket({
        ...{ bucket: name, scheme: 's3://', endpoint: target },
        credentials: { accessKeyId, secretAccessKey },
      });
      await bucket.create();
      const store = new BucketStore(bucket, '');
      for (const key of [
        'data/a.csv',
        'data/b.csv',
        'data/sub/c.csv',
        'data/odd[1].csv',
        'data-other/d.csv',
      ]) {
        await store.put(key, Buffer.from(key));
      }
      await store.put('data/large.bin', large);
      await store.put('data/', Buffer.alloc(0));
      await store.close();
    }
    sources = new ExternalSources({
      directories: [],
      urlPrefixes: ['s3://lake/data', `${endpoint}/lake/`],
      writable: ['s3://lake/out/'],
      s3Endpoint: endpoint,
    });
  });

  afterEach(() => proxy.rules.set([]));

  afterAll(async () => {
    await sources?.close();
    await proxy?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it.each([
    ['s3://lake/data/a.csv', ['data/a.csv']],
    ['S3://lake/data/*.csv', ['data/a.csv', 'data/b.csv', 'data/odd[1].csv']],
    ['s3://lake/data/odd[1].csv', ['data/odd[1].csv']],
    ['s3://lake/data/**/*.csv', ['data/a.csv', 'data/b.csv', 'data/odd[1].csv', 'data/sub/c.csv']],
    ['s3://lake/data/[b-z].csv', ['data/b.csv']],
    ['s3://lake/data/*/c.csv', ['data/sub/c.csv']],
  ])('reads %s', async (url, keys) => {
    const found = await sources.resolve(url, options({ credentials }));
    expect(await Promise.all(found.paths.map((path) => readFile(path, 'utf8')))).toEqual(keys);
    expect(found.files.map((file) => [file.url, file.bytes])).toEqual(
      keys.map((key) => [`s3://lake/${key}`, key.length]),
    );
    expect(found.files[0]!.modifiedAt).toBeInstanceOf(Date);
    expect(found.paths[0]).toMatch(/\.csv$/);
    expect(await sources.list(url, { signal, credentials })).toEqual(
      found.files.map(({ path, ...file }) => file),
    );
    await found.dispose();
    await found.dispose();
    expect(await readdir(requestDirectory)).toEqual([]);
  });

  it('reads a large object in ranges, even if bodies are cut off', async () => {
    proxy.rules.set([{ fault: { kind: 'truncate', share: 0.3 }, method: 'GET', path: 'large', times: 2 }]);
    const found = await sources.resolve('s3://lake/data/large.bin', options({ credentials }));
    expect(large.equals(await readFile(found.paths[0]!))).toBe(true);
    expect(proxy.rules.states()[0]).toMatchObject({ seen: 5, caught: 2 });
    await found.dispose();
  });

  it.each([
    ['s3://lake/data/none.csv', 'FILE_NOT_FOUND', 'does not exist'],
    ['s3://lake/data/*.parquet', 'FILE_NOT_FOUND', 'no object matches'],
    ['s3://lake/data-other/d.csv', 'LOCATION_NOT_ALLOWED', '--allow-url s3://lake/'],
    ['s3://lake/data*/d.csv', 'LOCATION_NOT_ALLOWED', '--allow-url'],
    ['s3://lake/*', 'LOCATION_NOT_ALLOWED', '--allow-url'],
    ['s3://lake', 'LOCATION_NOT_ALLOWED', '--allow-url'],
    ['s3://private/data/a.csv', 'LOCATION_NOT_ALLOWED', '--allow-url s3://private/'],
    ['gs://lake/data/a.csv', 'LOCATION_NOT_ALLOWED', '--allow-url gs://lake/'],
    ['s3:///data/a.csv', 'INVALID_ARGUMENT', 's3://bucket/key'],
    ['s3://user@lake/data/a.csv', 'INVALID_ARGUMENT', 's3://bucket/key'],
    ['azure://account/data', 'LOCATION_NOT_ALLOWED', '--allow-url azure://account/data/'],
    ['azure://account', 'INVALID_ARGUMENT', 'azure://account/container/key'],
  ])('answers %s with %s', async (url, name, message) => {
    await expect(sources.resolve(url, options({ credentials }))).rejects.toMatchObject({
      name,
      message: expect.stringContaining(message),
    });
    expect(await readdir(requestDirectory)).toEqual([]);
  });

  it('refuses an object that is too large before it reads it', async () => {
    await expect(
      sources.resolve('s3://lake/data/*', options({ credentials, maxBytes: 1_000 })),
    ).rejects.toMatchObject({ name: 'FILE_TOO_LARGE', message: expect.stringContaining('large.bin') });
  });

  it('uses the endpoint of a statement only if a prefix permits it', async () => {
    const elsewhere = new ExternalSources({
      directories: [],
      urlPrefixes: ['s3://lake/', 's3://private/', `${endpoint}/lake/`],
    });
    const named = { ...credentials, endpoint };
    const found = await elsewhere.resolve('s3://lake/data/a.csv', options({ credentials: named }));
    expect(await readFile(found.paths[0]!, 'utf8')).toBe('data/a.csv');
    await found.dispose();
    for (const [url, address] of [
      ['s3://private/data/a.csv', endpoint],
      ['s3://lake/data/a.csv', server.facts.endpoint],
      ['s3://lake/data/a.csv', `${endpoint}/private`],
    ] as const) {
      await expect(
        elsewhere.resolve(url, options({ credentials: { ...credentials, endpoint: address } })),
      ).rejects.toMatchObject({ name: 'LOCATION_NOT_ALLOWED' });
    }
    await elsewhere.close();
  });

  it('says so when the credentials are wrong', async () => {
    const wrong = { ...credentials, aws_secret_access_key: 'wrong' };
    await expect(sources.list('s3://lake/data/*', { signal, credentials: wrong })).rejects.toMatchObject({
      name: 'EXTERNAL_READ_FAILED',
      message: expect.stringContaining('access is denied'),
    });
  });

  it('writes or overwrites an object only where it may', async () => {
    const path = join(root, 'result');
    for (const content of ['one', 'two']) {
      await writeFile(path, content);
      await sources.write('s3://lake/out/x/result.csv', path, { signal, credentials });
    }
    const store = new BucketStore(
      new S3Bucket({
        ...{ bucket: 'lake', scheme: 's3://', endpoint },
        credentials: { accessKeyId: server.facts.accessKeyId, secretAccessKey: server.facts.secretAccessKey },
      }),
      '',
    );
    expect(Buffer.from((await store.get('out/x/result.csv'))!.body).toString()).toBe('two');
    for (const url of ['s3://lake/data/a.csv', 's3://lake/output', 's3://private/out/x']) {
      await expect(sources.write(url, path, { signal, credentials })).rejects.toMatchObject({
        name: 'FORBIDDEN',
        message: expect.stringContaining('--allow-write s3://'),
      });
    }
    await expect(sources.write('s3://lake/out/', path, { signal, credentials })).rejects.toMatchObject({
      name: 'INVALID_ARGUMENT',
    });
  });
});

describe('gs://', () => {
  it('reads objects of Google Cloud Storage', async () => {
    await using server = new FakeGcs('lake');
    const endpoint = await server.start();
    const bucket = await GcsBucket.open({ bucket: 'lake', scheme: 'gs://', endpoint });
    await bucket.write('d/a.csv', Buffer.from('a'), undefined, undefined);
    await bucket.write('d/b.csv', Buffer.from('b'), undefined, undefined);
    vi.stubEnv('STORAGE_EMULATOR_HOST', endpoint);
    const sources = new ExternalSources({
      directories: [],
      urlPrefixes: ['gs://lake'],
      writable: ['gs://lake'],
    });
    const found = await sources.resolve('gs://lake/d/*.csv', options());
    expect(await Promise.all(found.paths.map((path) => readFile(path, 'utf8')))).toEqual(['a', 'b']);
    await sources.write('gs://lake/out', found.paths[1]!, { signal });
    expect((await bucket.head('out', undefined))?.bytes).toBe(1);
    await found.dispose();
    await sources.close();
    vi.unstubAllEnvs();
  });
});

describe('azure://', () => {
  it('reads and writes blobs', async () => {
    await using server = await startServer<{ connectionString: string }>('azurite');
    vi.stubEnv('AZURE_STORAGE_CONNECTION_STRING', server.facts.connectionString);
    const { AzureBucket } = await import('../azure/azure-bucket.ts');
    const { azureServiceOf } = await import('../azure/azure-access.ts');
    const bucket = new AzureBucket({
      bucket: 'lake',
      scheme: 'azure://',
      service: azureServiceOf('azurite', {}),
    });
    await bucket.create();
    await bucket.write('d/a.csv', Buffer.from('a'), undefined, undefined);
    const place = 'azure://devstoreaccount1/lake';
    const sources = new ExternalSources({ directories: [], urlPrefixes: [place], writable: [place] });
    const found = await sources.resolve(`${place}/d/*.csv`, options());
    expect(await readFile(found.paths[0]!, 'utf8')).toBe('a');
    expect(found.files[0]!.url).toBe(`${place}/d/a.csv`);
    await sources.write(`${place}/out`, found.paths[0]!, { signal });
    expect((await bucket.head('out', undefined))?.bytes).toBe(1);
    await found.dispose();
    await sources.close();
    vi.unstubAllEnvs();
  });
});

describe('local targets', () => {
  it('writes complete files inside the given directory, and follows no link out of it', async () => {
    await mkdir(join(root, 'out'));
    await mkdir(join(root, 'secret'));
    await symlink(join(root, 'secret'), join(root, 'out/link'));
    await writeFile(join(root, 'source'), 'content');
    const sources = new ExternalSources({ directories: [], urlPrefixes: [], writable: [join(root, 'out')] });
    const write = (path: string) => sources.write(path, join(root, 'source'), { signal });
    await write(join(root, 'out/new/deep/file.csv'));
    await write(`file://${root}/out/file%20name.csv`);
    expect(await readFile(join(root, 'out/new/deep/file.csv'), 'utf8')).toBe('content');
    expect((await readdir(join(root, 'out'))).sort()).toEqual(['file name.csv', 'link', 'new']);
    for (const path of ['secret/x', 'out/link/x', 'out/../secret/x', 'out/link/new/x', 'out-not/x']) {
      await expect(write(`${root}/${path}`), path).rejects.toMatchObject({
        name: 'FORBIDDEN',
        message: expect.stringContaining('--allow-write'),
      });
    }
    await expect(write(join(root, 'out/new'))).rejects.toMatchObject({ name: 'INVALID_ARGUMENT' });
    await expect(write('https://example.com/x')).rejects.toMatchObject({ name: 'NOT_SUPPORTED' });
    expect(await readdir(join(root, 'secret'))).toEqual([]);
    expect(() => new ExternalSources({ directories: [], urlPrefixes: [], writable: ['/no/such'] })).toThrow(
      /--allow-write/,
    );
    await sources.close();
  });
});
