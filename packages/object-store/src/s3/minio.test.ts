import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { afterAll, beforeAll, describe } from 'vitest';
import { BucketStore } from '../bucket/bucket-store.ts';
import { dockerRuns } from '../testing/installed.ts';
import { describeStoreConformance } from '../testing/store-conformance.ts';
import { S3Bucket } from './s3-bucket.ts';

const credentials = { accessKeyId: 'tessera-test', secretAccessKey: 'tessera-test-secret' };
const skip = !(await dockerRuns());

describe.skipIf(skip)(skip ? 'MinIO: skipped, no container runtime here' : 'MinIO', () => {
  let container: StartedTestContainer;

  beforeAll(async () => {
    container = await new GenericContainer('minio/minio:RELEASE.2025-09-07T16-13-09Z')
      .withCommand(['server', '/data'])
      .withEnvironment({
        MINIO_ROOT_USER: credentials.accessKeyId,
        MINIO_ROOT_PASSWORD: credentials.secretAccessKey,
      })
      .withExposedPorts(9_000)
      .withWaitStrategy(Wait.forHttp('/minio/health/live', 9_000))
      .start();
  }, 180_000);

  afterAll(() => container?.stop());

  describeStoreConformance('MinIO', {
    open: async () => {
      const endpoint = `http://${container.getHost()}:${container.getMappedPort(9_000)}`;
      const bucket = new S3Bucket({ bucket: 'tessera', scheme: 's3://', endpoint, credentials });
      await bucket.create();
      return new BucketStore(bucket, 'instance/');
    },
    largeFileBytes: 20_000_000,
  });
});
