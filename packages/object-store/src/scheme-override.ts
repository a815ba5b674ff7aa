import { type EngineConfig, type StorageScheme, storageTypeOf } from '@tessera/config';
import type { SchemeOverride } from './external/object-access.ts';

const PROTOCOLS = { s3: 's3', minio: 's3', gcs: 'gs', abs: 'azure', azurite: 'azure' } as const;

/**
 * The scheme that `storage.api_scheme` assigns to the configured store; undefined if it is the scheme of its
 * type.
 */
export function schemeOverride(config: EngineConfig): SchemeOverride | undefined {
  const { storage } = config;
  const scheme = storage.api_scheme?.replace('://', '') as StorageScheme | undefined;
  if (scheme === undefined) return undefined;
  const protocol = PROTOCOLS[storageTypeOf(config, scheme)];
  if (protocol === scheme) return undefined;
  return {
    scheme,
    protocol,
    s3Endpoint: storage.minio?.endpoint ?? storage.default_s3_endpoint_override ?? undefined,
    account: storage.azure?.storage_account_name ?? undefined,
  };
}
