import type { EngineConfig } from './schema/root.ts';

export type EngineNode = NonNullable<EngineConfig['engine']['nodes']>[number];

/** The nodes of the engine; if the file lists none, a single node on this machine. */
export function engineNodes(config: EngineConfig): readonly EngineNode[] {
  return (
    config.engine.nodes ?? [
      {
        distexec_port: 5_678,
        host: '127.0.0.1',
        shuffle_port: 16_000,
        storage_agent_port: 3_434,
        storage_manager_port: 1_717,
      },
    ]
  );
}

const SCHEMES = { s3: 's3://', minio: 's3://', gcs: 'gs://', abs: 'azure://', azurite: 'azure://' } as const;

/** The URI scheme of managed storage: that of its type, unless the file overrides it. */
export function storageScheme(config: EngineConfig): string {
  return config.storage.api_scheme ?? SCHEMES[config.storage.type];
}

/** The schemes of object URLs, without `://`. */
export type StorageScheme = 's3' | 'gs' | 'azure';
type StorageType = EngineConfig['storage']['type'];

const TYPES: Readonly<Record<StorageScheme, readonly StorageType[]>> = {
  s3: ['s3', 'minio'],
  gs: ['gcs'],
  azure: ['abs', 'azurite'],
};

/**
 * The type of store that URLs of a scheme refer to: that of the scheme's own provider, unless
 * `storage.api_scheme` assigns the scheme to the configured store.
 */
export function storageTypeOf({ storage }: EngineConfig, scheme: StorageScheme): StorageType {
  if (storage.api_scheme === `${scheme}://`) return storage.type;
  return TYPES[scheme].find((type) => type === storage.type) ?? TYPES[scheme][0]!;
}

/**
 * Whether managed tables are in the data directory of the node, because the file has no provider block. A file
 * that names a bucket has such a block, which may be empty.
 */
export function storageIsLocal({ storage }: EngineConfig): boolean {
  return [storage.aws, storage.gcp, storage.azure, storage.minio].every((provider) => provider === null);
}
