import { afterAll, beforeAll, describe } from 'vitest';
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
});
