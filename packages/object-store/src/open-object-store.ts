import { join } from 'node:path';
import { fail } from '@tessera/common';
import { type EngineConfig, storageIsLocal } from '@tessera/config';
import { openLocalStore } from './local/local-store.ts';
import type { ObjectStore } from './object-store.ts';

export interface StoreOptions {
  /** Where the objects of an engine stand whose configuration names no object storage: in `objects` below it. */
  readonly dataDirectory: string;
  /** As {@link LocalStoreOptions.fsync}. */
  readonly fsync?: boolean;
}

/** The store of an engine's managed tables, as its configuration says. */
export async function openObjectStore(config: EngineConfig, options: StoreOptions): Promise<ObjectStore> {
  if (storageIsLocal(config)) return openLocalStore(join(options.dataDirectory, 'objects'), options);
  return fail('NOT_SUPPORTED', { what: `storage.type ${config.storage.type}` });
}
