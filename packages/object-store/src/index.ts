export { type CheckedCall, checkStore, providerOf } from './check-store.ts';
export type { S3DevServer, S3DevServerOptions } from './dev-server/s3-dev-server.ts';
export type { S3DevCredentials, S3DevUser } from './dev-server/s3-rights.ts';
export { startS3DevServer } from './dev-server/start-s3-dev-server.ts';
export { type ExternalAllowList, ExternalSources } from './external/external-sources.ts';
export { checkCredentialNames, type ObjectCredentials } from './external/object-access.ts';
export type {
  AccessOptions,
  CopyObjectRange,
  ExternalReader,
  ListedFile,
  ListOptions,
  ReadObjectRange,
  ResolvedFile,
  ResolvedFiles,
  ResolveOptions,
} from './external/resolved-files.ts';
export { type LocalStoreOptions, openLocalStore } from './local/local-store.ts';
export { bucketOf, isLocated, type LocationCredentials } from './located-store.ts';
export { storeRequests } from './measured-store.ts';
export type { ObjectInfo, ObjectStore, RequestOptions, StoredObject } from './object-store.ts';
export { openObjectStore, openStoreAt, type StoreOptions } from './open-object-store.ts';
export { probeConditionalWrites } from './probe.ts';
export { schemeOverride } from './scheme-override.ts';
