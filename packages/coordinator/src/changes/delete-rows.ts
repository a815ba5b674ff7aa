import type { Action, DeletionVector, TableObject, Tablet } from '@tessera/catalog';
import { newUlid, TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import type { ScanTablet } from '@tessera/storage-agent';
import { DeletedRows, extendedVector, type VectorContent, vectorContent } from '@tessera/tablet';
import type { RowPositions } from './row-positions.ts';

/**
 * Marks rows as deleted. Each affected tablet gets a deletion vector that extends its former one; a tablet
 * without remaining rows is removed.
 * @param tablets the tablets that the positions refer to
 */
export async function deleteRows(
  store: ObjectStore,
  table: TableObject,
  tablets: readonly ScanTablet[],
  positions: RowPositions,
): Promise<Action[]> {
  const actions: Action[] = [];
  for (const [at, runs] of positions) {
    const { tablet, vector } = tablets[at]!;
    const added = DeletedRows.of(joined(runs));
    const content =
      vector === undefined ? vectorContent(added) : await extendedContent(store, table, vector, added);
    if (content.rows >= tablet.rows) {
      actions.push({
        kind: 'remove_tablet',
        tableId: table.id,
        tabletId: tablet.id,
        reason: 'delete',
      });
    } else {
      actions.push({
        kind: 'set_deletion_vector',
        vector: await storedVector(store, tablet, content),
        replaces: vector?.rows ?? 0,
      });
    }
  }
  return actions;
}

function joined(runs: readonly Uint32Array[]): Uint32Array {
  if (runs.length === 1) return runs[0]!;
  const all = new Uint32Array(runs.reduce((sum, run) => sum + run.length, 0));
  let at = 0;
  for (const run of runs) {
    all.set(run, at);
    at += run.length;
  }
  return all;
}

/** @throws TesseraError CORRUPT_TABLET for an invalid bitmap */
async function extendedContent(
  store: ObjectStore,
  table: TableObject,
  vector: DeletionVector,
  added: DeletedRows,
): Promise<VectorContent> {
  const { key } = vector;
  const object = key === undefined ? undefined : await store.get(key);
  if (key !== undefined && object === undefined) {
    throw TesseraError.of('OBJECT_NOT_FOUND', { url: `${store.url}/${key}` });
  }
  try {
    return extendedVector(vector, object?.body, added);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const params = { tablet: vector.tabletId, table: table.name, reason: cause.message };
    throw TesseraError.of('CORRUPT_TABLET', params, { cause });
  }
}

async function storedVector(
  store: ObjectStore,
  { id: tabletId, tableId }: Tablet,
  content: VectorContent,
): Promise<DeletionVector> {
  const { rows } = content;
  if ('inline' in content) return { tabletId, tableId, rows, inline: content.inline };
  const key = `dv/${tabletId}/${newUlid()}.bin`;
  await store.put(key, content.object);
  return { tabletId, tableId, rows, key };
}
