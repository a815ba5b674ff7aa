import { newUlid, TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import type { StorageManager } from '../storage-manager.ts';
import { type Inspection, inspectTables, removalOf } from './lost-tablets.ts';

/** The maximum number of tablets that one commit removes. */
const TABLETS_PER_COMMIT = 1_000;
const ATTEMPTS = 5;

/**
 * Removes every lost tablet from the catalog. The objects are checked again at the version that is changed,
 * so a tablet that others removed or wrote meanwhile is never touched.
 * @throws TesseraError TRANSACTION_CONFLICT if others keep changing the same tablets
 */
export async function removeLostTablets(
  manager: StorageManager,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<{ readonly removed: Inspection; readonly after: Inspection }> {
  for (let attempt = 1; ; attempt++) {
    const snapshot = await manager.latest();
    const removed = await inspectTables(snapshot, store, signal);
    const actions = removalOf(removed.damaged.flatMap(({ lost }) => lost));
    try {
      for (let from = 0; from < actions.length; from += TABLETS_PER_COMMIT) {
        const txnId = `repair-${newUlid()}`;
        const part = actions.slice(from, from + TABLETS_PER_COMMIT);
        await manager.commit({ txnId, queryId: txnId, readVersion: snapshot.version, actions: part });
      }
      return { removed, after: await inspectTables(await manager.latest(), store, signal) };
    } catch (error) {
      const isConflict = error instanceof TesseraError && error.name === 'TRANSACTION_CONFLICT';
      if (!isConflict || attempt === ATTEMPTS) throw error;
    }
  }
}
