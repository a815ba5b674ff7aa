export {
  type ExternalAllowList,
  ExternalSources,
  type ResolvedFiles,
  type ResolveOptions,
} from './external-sources.ts';
export { type LocalStoreOptions, openLocalStore } from './local/local-store.ts';
export type { ObjectInfo, ObjectStore, RequestOptions, StoredObject } from './object-store.ts';
export { openObjectStore, type StoreOptions } from './open-object-store.ts';
export { probeConditionalWrites } from './probe.ts';
