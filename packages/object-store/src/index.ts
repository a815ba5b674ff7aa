export {
  type ExternalAllowList,
  ExternalSources,
  type ResolvedFiles,
  type ResolveOptions,
} from './external-sources.ts';
export type { ObjectInfo, ObjectStore, RequestOptions, StoredObject } from './object-store.ts';
