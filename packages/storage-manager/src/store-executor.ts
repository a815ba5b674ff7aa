import { encodeCheckpoint } from '@tessera/catalog';
import { newUlid, TesseraError } from '@tessera/common';
import { bucketOf, isLocated, type ObjectStore } from '@tessera/object-store';
import type { StoreAnswer, StoreRequest } from './log-node/effects.ts';
import { checkpointKey } from './log-node/log-keys.ts';

/** Executes one request of the reducer; never throws. */
export async function execute(
  store: ObjectStore,
  request: StoreRequest,
  signal: AbortSignal,
): Promise<StoreAnswer> {
  try {
    return await answer(store, request, signal);
  } catch (error) {
    return failure(error);
  }
}

async function answer(store: ObjectStore, request: StoreRequest, signal: AbortSignal): Promise<StoreAnswer> {
  switch (request.kind) {
    case 'get': {
      const found = await store.get(request.key, { signal });
      return found === undefined ? { kind: 'absent' } : { kind: 'found', ...found };
    }
    case 'get_all': {
      const found = await Promise.all(request.keys.map((key) => store.get(key, { signal })));
      return { kind: 'got_all', bodies: found.map((object) => object?.body) };
    }
    case 'put_if_absent':
      return { kind: await store.putIfAbsent(request.key, request.body, { signal }) };
    case 'put_if_match':
      return { kind: await store.putIfMatch(request.key, request.body, request.etag, { signal }) };
    case 'put_checkpoint': {
      const key = checkpointKey(request.catalog.version, newUlid());
      const body = encodeCheckpoint(request.catalog);
      await store.putIfAbsent(key, body, { signal });
      return { kind: 'checkpoint_stored', key, bytes: body.length };
    }
    case 'list': {
      const keys: string[] = [];
      const { prefix, startAfter, limit } = request;
      for await (const { key } of store.list(prefix, { signal, startAfter })) {
        keys.push(key);
        if (keys.length === limit) break;
      }
      return { kind: 'listed', keys };
    }
    case 'delete':
      return deleted(store, request.keys, signal);
  }
}

/** Deletes objects. Those at a location of a table that cannot be reached are left, so that they do not hold up the others. */
async function deleted(
  store: ObjectStore,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<StoreAnswer> {
  const left: string[] = [];
  for (const [bucket, some] of Map.groupBy(keys, (key) => (isLocated(key) ? bucketOf(key) : undefined))) {
    try {
      await store.delete(some, { signal });
    } catch (error) {
      if (bucket === undefined || signal.aborted) throw error;
      left.push(...some);
    }
  }
  return { kind: 'deleted', left };
}

/**
 * Classifies a failure. A permanent refusal of the store ends the leadership; after any other failure the
 * request may or may not have been executed.
 */
function failure(error: unknown): StoreAnswer {
  const reason = error instanceof Error ? error.message : String(error);
  const refused =
    error instanceof TesseraError &&
    (error.name === 'FORBIDDEN' || error.name === 'UNAUTHENTICATED' || error.name === 'STORAGE_UNSUITABLE');
  return refused ? { kind: 'forbidden', reason } : { kind: 'unknown', reason };
}
