import { newUlid, pause, TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import { decodeIdentity, encodeIdentity, IDENTITY_KEY } from './log-node/identity.ts';

const RETRY_MS = 100;

/**
 * The id of the store, a ULID. A store without one gets one; if several nodes open a new store at once, one
 * of them writes it and all read the same.
 * @throws TesseraError STORAGE_UNAVAILABLE if the store does not answer in time; METADATA_UNAVAILABLE if the
 * object is damaged
 */
export async function storeIdentity(store: ObjectStore, withinMs: number): Promise<string> {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      const id = (await readIdentity(store)) ?? (await createIdentity(store));
      if (id !== undefined) return id;
    } catch (error) {
      const isTemporary = error instanceof TesseraError && error.name === 'STORAGE_UNAVAILABLE';
      if (!isTemporary || performance.now() >= end) throw error;
    }
    await pause(RETRY_MS);
  }
}

/**
 * Undefined for a store that no node has opened yet. @throws TesseraError METADATA_UNAVAILABLE if the object
 * is damaged
 */
export async function readIdentity(store: ObjectStore): Promise<string | undefined> {
  const found = await store.get(IDENTITY_KEY);
  if (found === undefined) return undefined;
  const id = decodeIdentity(found.body);
  if (id !== undefined) return id;
  const text = new TextDecoder().decode(found.body);
  throw TesseraError.of('METADATA_UNAVAILABLE', {
    reason: `${store.url}/${IDENTITY_KEY} is damaged: ${JSON.stringify(text.slice(0, 100))}`,
  });
}

/** Undefined if another node was faster; the object then holds that node's id. */
async function createIdentity(store: ObjectStore): Promise<string | undefined> {
  const id = newUlid();
  return (await store.putIfAbsent(IDENTITY_KEY, encodeIdentity(id))) === 'created' ? id : undefined;
}
