import { join, resolve } from 'node:path';
import { TesseraError } from '@tessera/common';
import { type EngineConfig, storageIsLocal, storageScheme, storageTypeOf } from '@tessera/config';
import type { BucketClient } from './bucket/bucket-client.ts';
import { BucketStore } from './bucket/bucket-store.ts';
import { checkCredentials, keysOf, type ObjectCredentials } from './external/object-access.ts';
import { parseObjectUrl } from './external/object-url.ts';
import { openLocalStore } from './local/local-store.ts';
import { type LocationCredentials, locatedStore } from './located-store.ts';
import { measuredStore } from './measured-store.ts';
import type { ObjectStore } from './object-store.ts';

/**
 * Opens a store at a given place, such as that of a backup: a directory, or a URL (`s3://bucket/prefix`). A URL
 * of the provider of the configured storage is accessed like that storage.
 * @param credentials those of a bucket that the identity of the engine does not open
 * @throws TesseraError INVALID_ARGUMENT if the URL names no bucket, or the credentials are those of another provider; SECRET_KEY_MISSING if this process cannot decrypt the credentials
 */
export async function openStoreAt(
  place: string,
  config: EngineConfig,
  credentials?: ObjectCredentials,
): Promise<ObjectStore> {
  if (!place.includes('://')) return measuredStore(await openLocalStore(resolve(place)));
  const { scheme, bucket, key } = parseObjectUrl(place);
  const { storage } = config;
  const type = storageTypeOf(config, scheme);
  const prefix = key === '' || key.endsWith('/') ? key : `${key}/`;
  if (credentials !== undefined) checkCredentials(credentials, PROTOCOL_OF[type]);
  const [account, container = bucket] = scheme === 'azure' ? bucket.split('/') : [undefined];
  const azure = account === undefined ? storage.azure : { ...storage.azure, storage_account_name: account };
  const api_scheme = `${scheme}://`;
  const own = { ...storage, type, api_scheme, bucket_name: container, azure } as EngineConfig['storage'];
  return openBucketStore({ ...config, storage: own }, prefix, credentials);
}

export interface StoreOptions {
  /** If the configuration names no object storage, objects are stored in `objects` below this directory. */
  readonly dataDirectory: string;
  /** See {@link LocalStoreOptions.fsync}. */
  readonly fsync?: boolean;
  /** The credentials of tables whose LOCATION object has some; by default, such tables cannot be read. */
  readonly locations?: LocationCredentials;
}

/** A bucket that can be created, which is done only for self-hosted servers. */
interface CreatableBucket extends BucketClient {
  create(): Promise<void>;
}

/**
 * The store of an engine's managed tables, as its configuration says. All objects stand below the instance's id, so
 * that instances may share a bucket. The objects of tables with a LOCATION elsewhere have URLs as keys.
 * @throws STORAGE_UNAVAILABLE when a bucket that is made on demand (minio, azurite) cannot be
 */
export async function openObjectStore(config: EngineConfig, options: StoreOptions): Promise<ObjectStore> {
  const own = storageIsLocal(config)
    ? measuredStore(await openLocalStore(join(options.dataDirectory, 'objects'), options))
    : await openBucketStore(config, `${config.instance.id}/`);
  return locatedStore(
    own,
    (url, credentials) => openStoreAt(url, config, credentials),
    options.locations ?? NO_LOCATIONS,
  );
}

const NO_LOCATIONS: LocationCredentials = { known: () => undefined, newest: async () => undefined };

/** A prefix of the bucket that the configuration names. */
async function openBucketStore(
  config: EngineConfig,
  prefix: string,
  credentials?: ObjectCredentials,
): Promise<ObjectStore> {
  const bucket = await openBucket(config, credentials);
  const isCreated = config.storage.type === 'minio' || config.storage.type === 'azurite';
  if (isCreated && credentials === undefined) await create(bucket);
  return measuredStore(new BucketStore(bucket, prefix));
}

/** The scheme of the provider, whatever `storage.api_scheme` calls it. */
const PROTOCOL_OF = { s3: 's3', minio: 's3', gcs: 'gs', abs: 'azure', azurite: 'azure' } as const;

/** The bucket of an instance whose configuration names none. Names of buckets have no capital letters. */
function bucketName({ storage, instance }: EngineConfig): string {
  return storage.bucket_name ?? `tessera-${instance.id.toLowerCase()}`;
}

// Each vendor's client is loaded only when it is used: together they would take most of the startup time.
async function openBucket(config: EngineConfig, credentials?: ObjectCredentials): Promise<CreatableBucket> {
  const { storage } = config;
  const place = {
    bucket: bucketName(config),
    scheme: storageScheme(config),
    uploadTries: storage.upload_max_tries ?? undefined,
  };
  switch (storage.type) {
    case 's3':
    case 'minio': {
      const { S3Bucket } = await import('./s3/s3-bucket.ts');
      return new S3Bucket({
        ...place,
        endpoint: storage.minio?.endpoint ?? storage.default_s3_endpoint_override ?? undefined,
        ...(credentials === undefined
          ? { roleArn: storage.aws?.intermediary_access_role ?? undefined }
          : { credentials: keysOf(credentials), roleArn: credentials.aws_role_arn }),
      });
    }
    case 'gcs': {
      const { GcsBucket } = await import('./gcs/gcs-bucket.ts');
      return GcsBucket.open({
        ...place,
        impersonate: storage.gcp?.intermediary_service_account_id ?? undefined,
        serviceAccountKey: credentials?.google_service_account_key,
      });
    }
    case 'abs':
    case 'azurite': {
      const { AzureBucket } = await import('./azure/azure-bucket.ts');
      const { azureServiceOf } = await import('./azure/azure-access.ts');
      return new AzureBucket({
        ...place,
        service: azureServiceOf(storage.type, {
          account: storage.azure?.storage_account_name ?? undefined,
          clientId: storage.azure?.intermediary_service_principal_client_id ?? undefined,
          sasToken: credentials?.azure_sas_token,
          accountKey: credentials?.azure_account_key,
        }),
      });
    }
  }
}

async function create(bucket: CreatableBucket): Promise<void> {
  try {
    await bucket.create();
  } catch (error) {
    const { reason } = bucket.explain(error);
    throw TesseraError.of('STORAGE_UNAVAILABLE', { url: bucket.url, reason }, { cause: error });
  }
}
