import { resolve } from 'node:path';
import type { EngineConfig } from '@tessera/config';
import { parseObjectUrl } from './external/object-url.ts';
import { openLocalStore } from './local/local-store.ts';
import { measuredStore } from './measured-store.ts';
import type { ObjectStore } from './object-store.ts';
import { openBucketStore } from './open-object-store.ts';

const PROVIDERS = { s3: ['s3', 'minio'], gs: ['gcs'], azure: ['abs', 'azurite'] } as const;

/**
 * A store at a place that is told by hand, as for a backup: a directory, or a URL (`s3://bucket/prefix`), which is reached
 * as the configuration's own storage is where both are of one provider.
 * @throws TesseraError INVALID_ARGUMENT for a URL that names no bucket
 */
export async function openStoreAt(place: string, config: EngineConfig): Promise<ObjectStore> {
  if (!place.includes('://')) return measuredStore(await openLocalStore(resolve(place)));
  const { scheme, bucket, key } = parseObjectUrl(place);
  const prefix = key === '' || key.endsWith('/') ? key : `${key}/`;
  const { storage } = config;
  const type = PROVIDERS[scheme].find((one) => one === storage.type) ?? PROVIDERS[scheme][0];
  const [account, container = bucket] = scheme === 'azure' ? bucket.split('/') : [undefined];
  const azure = account === undefined ? storage.azure : { ...storage.azure, storage_account_name: account };
  const own = { ...storage, type, bucket_name: container, azure } as EngineConfig['storage'];
  return openBucketStore({ ...config, storage: own }, prefix);
}
