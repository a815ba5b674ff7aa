import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultConfig, type EngineConfig, parseConfig } from '@tessera/config';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { S3DevServer } from './dev-server/s3-dev-server.ts';
import { ExternalSources } from './external/external-sources.ts';
import { openObjectStore, openStoreAt } from './open-object-store.ts';
import { schemeOverride } from './scheme-override.ts';
import { FakeGcs } from './testing/fake-gcs.ts';
import { areInstalled, RADOSGW_PROGRAMS } from './testing/installed.ts';
import { type S3Facts, startServer } from './testing/start-server.ts';

const ID = '01JTESSERA0000000000000000';
let dataDirectory: string;

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'tessera-open-'));
});

afterEach(() => vi.unstubAllEnvs());
afterAll(() => rm(dataDirectory, { recursive: true }));

const config = (storage: object): EngineConfig =>
  parseConfig(JSON.stringify({ schema_version: '1.0', storage }), 'test').config;
const open = (storage: object) => openObjectStore(config(storage), { dataDirectory, fsync: false });

/** Uses the store and returns its URL. */
async function tried(storage: object): Promise<string> {
  const store = await open(storage);
  await store.put('a', Buffer.from('x'));
  expect((await store.get('a'))?.body.byteLength).toBe(1);
  await store.close();
  return store.url;
}

describe('the store of a configuration', () => {
  it.each([{}, { allow_collect_garbage: true, gc_ttl_seconds: 1, upload_max_tries: 3 }])(
    'is in the data directory if %o names no location',
    async (storage) => {
      expect(await tried(storage)).toBe(`file://${dataDirectory}/objects`);
    },
  );

  it.skipIf(!areInstalled(...RADOSGW_PROGRAMS))(
    'is in a bucket of an S3 server, made on demand for minio only (skipped without radosgw)',
    async () => {
      await using server = await startServer<S3Facts>('radosgw');
      const { endpoint, accessKeyId, secretAccessKey } = server.facts;
      vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId);
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey);
      const ofInstance = { default_s3_endpoint_override: endpoint, type: 's3', aws: {} };
      await expect(tried(ofInstance)).rejects.toMatchObject({
        name: 'STORAGE_UNAVAILABLE',
        message: `s3://tessera-${ID.toLowerCase()}/${ID}/a: the bucket does not exist`,
      });
      expect(await tried({ type: 'minio', minio: { endpoint } })).toBe(
        `s3://tessera-${ID.toLowerCase()}/${ID}`,
      );
      expect(await tried(ofInstance)).toBe(`s3://tessera-${ID.toLowerCase()}/${ID}`);
      expect(await tried({ type: 'minio', minio: { endpoint }, bucket_name: 'shared' })).toBe(
        `s3://shared/${ID}`,
      );
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong');
      await expect(open({ type: 'minio', minio: { endpoint } })).rejects.toMatchObject({
        name: 'STORAGE_UNAVAILABLE',
        message: expect.stringContaining('access is denied'),
      });
    },
  );

  it('is addressed by api_scheme, as are locations and objects of that scheme', async () => {
    const server = await S3DevServer.start({ directory: join(dataDirectory, 's3'), port: 0 });
    onTestFinished(() => server.close());
    const { endpoint, credentials } = server;
    vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
    const storage = { type: 'minio', minio: { endpoint }, bucket_name: 'lake', api_scheme: 'gs://' };
    expect(await tried(storage)).toBe(`gs://lake/${ID}`);
    const place = await openStoreAt('gs://lake/backup', config(storage));
    expect(place.url).toBe('gs://lake/backup');
    await place.put('one', Buffer.from('x'));
    await place.close();
    const external = new ExternalSources({
      directories: [],
      urlPrefixes: ['gs://lake'],
      schemeOverride: schemeOverride(config(storage)),
    });
    const listed = await external.list('gs://lake/backup/*', { signal: new AbortController().signal });
    expect(listed.map(({ url }) => url)).toEqual(['gs://lake/backup/one']);
    await external.close();
    expect(schemeOverride(config({ type: 'gcs', gcp: {}, api_scheme: 'gs://' }))).toBeUndefined();
  });

  it('says so when nothing listens, or no credentials are found', async () => {
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(dataDirectory, 'none'));
    vi.stubEnv('AWS_CONFIG_FILE', join(dataDirectory, 'none'));
    const nowhere = { type: 'minio', minio: { endpoint: 'http://127.0.0.1:1' } };
    await expect(open(nowhere)).rejects.toMatchObject({
      name: 'STORAGE_UNAVAILABLE',
      message: expect.stringContaining('no AWS credentials were found'),
    });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'x');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'x');
    await expect(
      tried({
        aws: {},
        bucket_name: 'lake',
        default_s3_endpoint_override: 'http://127.0.0.1:1',
        upload_max_tries: 1,
      }),
    ).rejects.toMatchObject({
      name: 'STORAGE_UNAVAILABLE',
      message: expect.stringContaining('the connection was refused (127.0.0.1:1)'),
    });
  });

  it('is in a container of azurite, made on demand', async () => {
    await using server = await startServer<{ connectionString: string }>('azurite');
    vi.stubEnv('AZURE_STORAGE_CONNECTION_STRING', server.facts.connectionString);
    expect(await tried({ type: 'azurite', azure: {} })).toBe(
      `azure://devstoreaccount1/tessera-${ID.toLowerCase()}/${ID}`,
    );
    const account = { type: 'abs', azure: { storage_account_name: 'devstoreaccount1' }, bucket_name: 'none' };
    await expect(tried(account)).rejects.toMatchObject({
      message: expect.stringContaining('the container does not exist'),
    });
  });

  it.each([
    ['gs://lake', { aws_access_key_id: 'a' }, 'AWS_ACCESS_KEY_ID is no credential of gs://'],
    [
      'gs://lake',
      { google_service_account_key: '{"private_key": "p"}' },
      'is not the key of a service account',
    ],
    [
      'azure://a/lake',
      { google_service_account_key: '{}' },
      'GOOGLE_SERVICE_ACCOUNT_KEY is no credential of',
    ],
    ['s3://lake', { azure_sas_token: 'sv=1' }, 'AZURE_SAS_TOKEN is no credential of s3://'],
  ])('is not opened at %s with credentials that are not its own: %j', async (url, credentials, message) => {
    await expect(openStoreAt(url, defaultConfig(), credentials)).rejects.toMatchObject({
      name: 'INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    });
  });

  it('is in a bucket of Google Cloud Storage', async () => {
    await using server = new FakeGcs('lake');
    vi.stubEnv('STORAGE_EMULATOR_HOST', await server.start());
    expect(await tried({ type: 'gcs', gcp: {}, bucket_name: 'lake', api_scheme: 'gs://' })).toBe(
      `gs://lake/${ID}`,
    );
    await expect(tried({ type: 'gcs', gcp: {}, bucket_name: 'none' })).rejects.toMatchObject({
      message: expect.stringContaining('the bucket does not exist'),
    });
  });
});
