import type { CatalogState } from '@tessera/catalog';
import { type Logger, newUlid } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import { LOG_NODE_DEFAULTS } from '../log-node/options.ts';
import { LogNodeDriver } from '../log-node-driver.ts';
import { STORAGE_MANAGER_TIMES } from '../times.ts';

/** Reads the newest committed version from the store without asking a node. Writes nothing. */
export async function readCatalog(store: ObjectStore, log: Logger): Promise<CatalogState> {
  const node = { ...LOG_NODE_DEFAULTS, incarnation: newUlid(), address: '', candidate: false };
  const reader = new LogNodeDriver({ store, log, node });
  try {
    reader.start();
    return await reader.latest(STORAGE_MANAGER_TIMES.readTimeoutMs);
  } finally {
    await reader.close(0);
  }
}
