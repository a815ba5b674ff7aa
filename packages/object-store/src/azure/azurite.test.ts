import { BlobServiceClient } from '@azure/storage-blob';
import { afterAll, beforeAll } from 'vitest';
import { BucketStore } from '../bucket/bucket-store.ts';
import { type RunningServer, startServer } from '../testing/start-server.ts';
import { describeStoreConformance } from '../testing/store-conformance.ts';
import { AzureBucket } from './azure-bucket.ts';

let server: RunningServer<{ readonly connectionString: string }>;

beforeAll(async () => {
  server = await startServer('azurite');
});

afterAll(() => server[Symbol.asyncDispose]());

describeStoreConformance('azurite', {
  open: async () => {
    const bucket = new AzureBucket({
      bucket: 'tessera',
      scheme: 'azure://',
      service: (options) => BlobServiceClient.fromConnectionString(server.facts.connectionString, options),
    });
    await bucket.create();
    return new BucketStore(bucket, 'instance/');
  },
  largeFileBytes: 20_000_000,
  ordersByCodeUnits: true,
});
