import { stat } from 'node:fs/promises';
import { measurement, TesseraError } from '@tessera/common';
import type { ObjectStore } from './object-store.ts';

/** A request to the managed store, including its retries. */
export interface StoreRequest {
  /** The object, or the prefix of a listing; for a batch that is deleted, its first object. */
  readonly key: string;
  readonly operation: 'get' | 'get_range' | 'head' | 'put' | 'put_if' | 'list' | 'delete';
  /** `ok`, `refused` (a condition was not met), or the name of the error. */
  readonly outcome: string;
  readonly seconds: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

export const storeRequests = measurement<StoreRequest>('object-store-request');

type Outcome = Partial<Pick<StoreRequest, 'outcome' | 'bytesRead' | 'bytesWritten'>>;

/** Wraps the store and reports each request. */
export function measuredStore(store: ObjectStore): ObjectStore {
  const written = (body: Uint8Array): Outcome => ({ bytesWritten: body.length });
  return {
    url: store.url,
    get: (key, options) =>
      measured(
        'get',
        key,
        () => store.get(key, options),
        (found) => ({ bytesRead: found?.body.length ?? 0 }),
      ),
    getRange: (key, start, end, options) =>
      measured(
        'get_range',
        key,
        () => store.getRange(key, start, end, options),
        (body) => ({ bytesRead: body.length }),
      ),
    head: (key, options) => measured('head', key, () => store.head(key, options)),
    put: (key, body, options) =>
      measured(
        'put',
        key,
        () => store.put(key, body, options),
        () => written(body),
      ),
    putFile: async (key, path, options) => {
      // The size is read before, because the store may remove the file.
      const { size } = await stat(path);
      return measured(
        'put',
        key,
        () => store.putFile(key, path, options),
        () => ({ bytesWritten: size }),
      );
    },
    putIfAbsent: (key, body, options) =>
      measured(
        'put_if',
        key,
        () => store.putIfAbsent(key, body, options),
        (answer) => (answer === 'created' ? written(body) : { outcome: 'refused' }),
      ),
    putIfMatch: (key, body, etag, options) =>
      measured(
        'put_if',
        key,
        () => store.putIfMatch(key, body, etag, options),
        (answer) => (answer === 'replaced' ? written(body) : { outcome: 'refused' }),
      ),
    list: (prefix, options) => measuredListing(prefix, store.list(prefix, options)),
    delete: (keys, options) => measured('delete', keys[0] ?? '', () => store.delete(keys, options)),
    ...(store.localPath && { localPath: (key: string) => store.localPath!(key) }),
    close: () => store.close(),
  };
}

async function measured<T>(
  operation: StoreRequest['operation'],
  key: string,
  request: () => Promise<T>,
  describe: (answer: T) => Outcome = () => ({}),
): Promise<T> {
  const startedAt = performance.now();
  try {
    const answer = await request();
    publish(operation, key, performance.now() - startedAt, describe(answer));
    return answer;
  } catch (error) {
    publish(operation, key, performance.now() - startedAt, { outcome: nameOf(error) });
    throw error;
  }
}

/** A listing counts once, however many pages it has, without the time that its reader takes. */
async function* measuredListing<T>(prefix: string, listing: AsyncIterable<T>): AsyncGenerator<T> {
  let ms = 0;
  let resumedAt = performance.now();
  let outcome = 'ok';
  try {
    for await (const item of listing) {
      ms += performance.now() - resumedAt;
      yield item;
      resumedAt = performance.now();
    }
    ms += performance.now() - resumedAt;
  } catch (error) {
    ms += performance.now() - resumedAt;
    outcome = nameOf(error);
    throw error;
  } finally {
    publish('list', prefix, ms, { outcome });
  }
}

const nameOf = (error: unknown): string => (error instanceof TesseraError ? error.name : 'INTERNAL');

const publish = (operation: StoreRequest['operation'], key: string, ms: number, outcome: Outcome): void =>
  storeRequests.emit({
    operation,
    key,
    outcome: 'ok',
    seconds: ms / 1_000,
    bytesRead: 0,
    bytesWritten: 0,
    ...outcome,
  });
