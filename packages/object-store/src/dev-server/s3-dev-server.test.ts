import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BucketStore } from '../bucket/bucket-store.ts';
import { S3Bucket } from '../s3/s3-bucket.ts';
import { describeStoreConformance } from '../testing/store-conformance.ts';
import { S3DevServer } from './s3-dev-server.ts';

let directory: string;
let server: S3DevServer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-dev-server-'));
  server = await S3DevServer.start({ directory, port: 0 });
});

afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

const place = () => ({
  bucket: 'tessera',
  scheme: 's3://',
  endpoint: server.endpoint,
  credentials: server.credentials,
});

describeStoreConformance('development server', {
  open: async () => {
    const bucket = new S3Bucket(place());
    await bucket.create();
    return new BucketStore(bucket, 'instance/');
  },
  largeFileBytes: 20_000_000,
});

it('answers only clients that know the access key', async () => {
  const other = { accessKeyId: 'somebody-else', secretAccessKey: 'x' };
  const store = new BucketStore(new S3Bucket({ ...place(), credentials: other }), '');
  await expect(store.get('a')).rejects.toMatchObject({ name: 'STORAGE_UNAVAILABLE' });
  expect((await fetch(`${server.endpoint}/tessera/a`)).status).toBe(403);
  await store.close();
});

it('accepts bodies framed in chunks, with trailers', async () => {
  const client = new S3Client({
    endpoint: server.endpoint,
    forcePathStyle: true,
    region: 'us-east-1',
    credentials: server.credentials,
    requestChecksumCalculation: 'WHEN_SUPPORTED',
  });
  const body = Readable.from([Buffer.alloc(100_000, 'a'), Buffer.alloc(200_000, 'b')]);
  const name = { Bucket: 'tessera', Key: 'framed' };
  await client.send(new PutObjectCommand({ ...name, Body: body, ContentLength: 300_000 }));
  const found = await client.send(new GetObjectCommand(name));
  expect(await found.Body?.transformToString()).toBe('a'.repeat(100_000) + 'b'.repeat(200_000));
  client.destroy();
});

it('groups keys at a delimiter, page by page', async () => {
  const client = new S3Client({
    endpoint: server.endpoint,
    forcePathStyle: true,
    region: 'us-east-1',
    credentials: server.credentials,
  });
  for (const Key of ['d/a/1', 'd/a/2', 'd/b', 'd/c/1', 'd/d'])
    await client.send(new PutObjectCommand({ Bucket: 'tessera', Key, Body: 'x' }));
  const found: (string | undefined)[] = [];
  const request = { Bucket: 'tessera', Prefix: 'd/', Delimiter: '/', MaxKeys: 2 };
  for await (const page of paginateListObjectsV2({ client }, request)) {
    found.push(...(page.CommonPrefixes ?? []).map((one) => one.Prefix));
    found.push(...(page.Contents ?? []).map((one) => one.Key));
  }
  expect(found.sort()).toEqual(['d/a/', 'd/b', 'd/c/', 'd/d']);
  client.destroy();
});

it('has its objects after a restart', async () => {
  const second = await S3DevServer.start({ directory, port: 0, credentials: server.credentials });
  const store = new BucketStore(new S3Bucket({ ...place(), endpoint: second.endpoint }), '');
  await store.put('kept', Buffer.from('x'));
  await store.close();
  await second.close();
  const again = new BucketStore(new S3Bucket(place()), '');
  expect((await again.get('kept'))?.body.byteLength).toBe(1);
  await again.close();
});
