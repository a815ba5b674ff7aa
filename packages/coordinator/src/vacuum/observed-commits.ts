import type { ObjectId, Transaction } from '@tessera/catalog';
import type { StorageManager } from '@tessera/storage-manager';

/**
 * The same manager; `listener` is called with the tables that gained or lost rows in each commit made through
 * it.
 */
export function observeCommits(
  manager: StorageManager,
  listener: (tableIds: ReadonlySet<ObjectId>) => void,
): StorageManager {
  return {
    get current() {
      return manager.current;
    },
    latest: () => manager.latest(),
    commit: async (transaction) => {
      const committed = await manager.commit(transaction);
      const changed = changedTables(transaction);
      if (changed.size > 0) listener(changed);
      return committed;
    },
    pin: (snapshot) => manager.pin(snapshot),
    beginWrite: () => manager.beginWrite(),
    collectGarbage: (limit) => manager.collectGarbage(limit),
    close: () => manager.close(),
  };
}

function changedTables({ actions }: Transaction): Set<ObjectId> {
  const ids = new Set<ObjectId>();
  for (const action of actions) {
    if (action.kind === 'add_tablet') ids.add(action.tablet.tableId);
    if (action.kind === 'set_deletion_vector') ids.add(action.vector.tableId);
  }
  return ids;
}
