import { expect, it } from 'vitest';
import { BucketStore } from '../bucket/bucket-store.ts';
import { probeConditionalWrites } from '../probe.ts';
import { type S3Facts, startServer } from '../testing/start-server.ts';
import { S3Bucket } from './s3-bucket.ts';

it('refuses a server that ignores the conditions of writes', async () => {
  await using server = await startServer<S3Facts>('s3rver');
  const { endpoint, ...credentials } = server.facts;
  const bucket = new S3Bucket({ bucket: 'tessera', scheme: 's3://', endpoint, credentials });
  await bucket.create();
  await expect(probeConditionalWrites(new BucketStore(bucket, ''))).rejects.toMatchObject({
    name: 'STORAGE_UNSUITABLE',
    message: expect.stringContaining('If-None-Match'),
  });
});
