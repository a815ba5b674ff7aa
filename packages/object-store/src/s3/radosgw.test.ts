import { afterAll, beforeAll } from 'vitest';
import { BucketStore } from '../bucket/bucket-store.ts';
import { type RunningServer, startServer } from '../testing/start-server.ts';
import { describeStoreConformance } from '../testing/store-conformance.ts';
import { S3Bucket } from './s3-bucket.ts';

interface S3Facts {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

let server: RunningServer<S3Facts>;

beforeAll(async () => {
  server = await startServer<S3Facts>('radosgw');
});

afterAll(() => server[Symbol.asyncDispose]());

describeStoreConformance('radosgw', {
  open: async () => {
    const { endpoint, ...credentials } = server.facts;
    const bucket = new S3Bucket({ bucket: 'tessera', scheme: 's3://', endpoint, credentials });
    await bucket.create();
    return new BucketStore(bucket, 'instance/');
  },
  largeFileBytes: 20_000_000,
});
