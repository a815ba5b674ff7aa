import { admit, applyEntry, CatalogState, encodeEntry, type Transaction } from '@tessera/catalog';
import type { StorageManager } from '@tessera/storage-manager';

/**
 * The catalog of one process, kept only in memory: it applies the log's rules for statements without a log.
 */
export function localCatalog(): StorageManager {
  let state = CatalogState.empty;
  const nothing = { release: () => undefined };
  const commit = async (transaction: Transaction) => {
    const admission = admit(state, transaction);
    if (admission.kind === 'refused') throw admission.error;
    if (admission.kind === 'committed') return { version: admission.version };
    const version = state.version + 1;
    const entry = {
      version,
      epoch: state.epoch,
      putId: String(version),
      prevSha256: state.headSha256,
      time: new Date().toISOString(),
      records: [],
      txns: [transaction],
    };
    state = applyEntry(state, encodeEntry(entry));
    return { version };
  };
  return {
    latest: async () => state,
    get current() {
      return state;
    },
    commit,
    pin: () => nothing,
    beginWrite: () => nothing,
    collectGarbage: async () => ({ tablets: 0, objects: 0 }),
    close: async () => undefined,
  };
}
