import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { BucketStore } from '../bucket/bucket-store.ts';
import { areInstalled, RADOSGW_PROGRAMS } from '../testing/installed.ts';
import { type RunningServer, type S3Facts, startServer } from '../testing/start-server.ts';
import { describeStoreConformance } from '../testing/store-conformance.ts';
import { S3Bucket } from './s3-bucket.ts';

const skip = !areInstalled(...RADOSGW_PROGRAMS);

describe.skipIf(skip)(skip ? 'radosgw: skipped, it is not installed' : 'radosgw', () => {
  let server: RunningServer<S3Facts>;

  beforeAll(async () => {
    server = await startServer<S3Facts>('radosgw');
  });

  afterAll(() => server?.[Symbol.asyncDispose]());

  describeStoreConformance('radosgw', {
    open: async () => {
      const { endpoint, ...credentials } = server.facts;
      const bucket = new S3Bucket({ bucket: 'tessera', scheme: 's3://', endpoint, credentials });
      await bucket.create();
      return new BucketStore(bucket, 'instance/');
    },
    largeFileBytes: 20_000_000,
  });

  afterEach(() => vi.unstubAllEnvs());

  it('is used through an assumed role, and not without it', async () => {
    const { endpoint, ...credentials } = server.facts;
    vi.stubEnv('AWS_ENDPOINT_URL_STS', endpoint);
    const place = { bucket: 'tessera', scheme: 's3://', endpoint, credentials };
    const keeper = new BucketStore(new S3Bucket({ ...place, roleArn: 'arn:aws:iam:::role/keeper' }), '');
    await keeper.put('by-role', Buffer.from('x'));
    expect((await keeper.get('by-role'))?.body.byteLength).toBe(1);
    await keeper.delete(['by-role']);
    const nobody = new BucketStore(new S3Bucket({ ...place, roleArn: 'arn:aws:iam:::role/none' }), '');
    await expect(nobody.get('by-role')).rejects.toMatchObject({
      name: 'STORAGE_UNAVAILABLE',
      message: expect.stringContaining('the role arn:aws:iam:::role/none cannot be assumed'),
    });
    const open = new BucketStore(new S3Bucket({ ...place, credentials: 'anonymous' }), '');
    await expect(open.get('by-role')).rejects.toMatchObject({
      name: 'STORAGE_UNAVAILABLE',
      message: expect.stringContaining('access is denied'),
    });
  });
});
