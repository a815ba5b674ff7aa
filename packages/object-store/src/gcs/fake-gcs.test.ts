import { afterAll, beforeAll } from 'vitest';
import { BucketStore } from '../bucket/bucket-store.ts';
import { FakeGcs } from '../testing/fake-gcs.ts';
import { describeStoreConformance } from '../testing/store-conformance.ts';
import { GcsBucket } from './gcs-bucket.ts';

const server = new FakeGcs('tessera');
let endpoint: string;

beforeAll(async () => {
  endpoint = await server.start();
});

afterAll(() => server[Symbol.asyncDispose]());

describeStoreConformance('Google Cloud Storage (fake)', {
  open: async () =>
    new BucketStore(await GcsBucket.open({ bucket: 'tessera', scheme: 'gs://', endpoint }), 'instance/'),
  largeFileBytes: 40_000_000,
});
