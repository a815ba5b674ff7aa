import type { ContentsOf } from '@tessera/storage-agent';
import type { StorageManager } from '@tessera/storage-manager';

/** The contents of tables in the newest snapshot, for work that no statement asks for. */
export const currentContents =
  (manager: StorageManager): ContentsOf =>
  async (tableId) => {
    const snapshot = await manager.latest();
    const table = snapshot.object(tableId);
    if (table?.kind !== 'table') return undefined;
    const pin = manager.pin(snapshot);
    const tablets = snapshot
      .tablets(tableId)
      .map((tablet) => ({ tablet, vector: snapshot.deletionVector(tableId, tablet.id) }));
    return { table, version: snapshot.contentsVersion(tableId), tablets, release: () => pin.release() };
  };
