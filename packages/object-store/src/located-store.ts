import { TesseraError } from '@tessera/common';
import type { ObjectCredentials } from './external/object-access.ts';
import { objectUrlText, parseObjectUrl } from './external/object-url.ts';
import type { ObjectInfo, ObjectStore } from './object-store.ts';

/** The credentials of LOCATION objects by their ids; undefined if there is no such object. */
export interface LocationCredentials {
  /** As this process knows them, without a request. */
  known(id: string): ObjectCredentials | undefined;
  /** As they are in the newest catalog. */
  newest(id: string): Promise<ObjectCredentials | undefined>;
}

/** Opens a bucket by its URL, with the identity of the engine if there are no credentials. */
type OpenBucket = (url: string, credentials: ObjectCredentials | undefined) => Promise<ObjectStore>;

/**
 * Whether the key of an object is a URL, because the object is outside the managed store, at the LOCATION of a
 * table.
 */
export const isLocated = (key: string): boolean => key.includes('://');

/**
 * The bucket of a located key, as a URL that ends with a slash. If a LOCATION object has the credentials of the bucket, the
 * key and this URL contain its id: `s3://<id>@bucket/`.
 */
export const bucketOf = (key: string): string => {
  const root = objectUrlText({ ...parseObjectUrl(withoutGuard(key)), key: '' });
  const id = guardOf(key);
  return id === undefined ? root : root.replace('://', `://${id}@`);
};

/**
 * The managed store, which also takes URLs as keys: those of tables with a LOCATION elsewhere. Their buckets are opened when they are
 * first used, and again with new credentials after their LOCATION object was changed.
 */
export function locatedStore(
  own: ObjectStore,
  open: OpenBucket,
  credentials: LocationCredentials,
): ObjectStore {
  const buckets = new LocatedBuckets(open, credentials);
  const at = async <T>(key: string, work: (store: ObjectStore, key: string) => Promise<T>): Promise<T> => {
    if (!isLocated(key)) return work(own, key);
    const root = bucketOf(key);
    const name = key.slice(root.length);
    try {
      return await work(await buckets.open(root), name);
    } catch (error) {
      const reopened = await buckets.reopenedAfter(root, error);
      if (reopened === undefined) throw error;
      return work(reopened, name);
    }
  };
  const named = <T extends ObjectInfo | undefined>(key: string, info: T): T => info && { ...info, key };
  return {
    url: own.url,
    get: (key, options) => at(key, (store, name) => store.get(name, options)),
    getRange: (key, start, end, options) =>
      at(key, (store, name) => store.getRange(name, start, end, options)),
    head: async (key, options) => named(key, await at(key, (store, name) => store.head(name, options))),
    put: (key, body, options) => at(key, (store, name) => store.put(name, body, options)),
    putFile: (key, path, options) => at(key, (store, name) => store.putFile(name, path, options)),
    putIfAbsent: (key, body, options) => at(key, (store, name) => store.putIfAbsent(name, body, options)),
    putIfMatch: (key, body, etag, options) =>
      at(key, (store, name) => store.putIfMatch(name, body, etag, options)),
    list: (prefix, options) => {
      if (!isLocated(prefix)) return own.list(prefix, options);
      const root = bucketOf(prefix);
      return listed(root, prefix, buckets.open(root), options);
    },
    delete: async (keys, options) => {
      for (const [root, some] of Map.groupBy(keys, (key) => (isLocated(key) ? bucketOf(key) : '')))
        await at(some[0]!, (store) =>
          store.delete(
            some.map((key) => key.slice(root.length)),
            options,
          ),
        );
    },
    ...(own.localPath && { localPath: (key: string) => own.localPath!(key) }),
    close: async () => {
      await buckets.close();
      await own.close();
    },
  };
}

/** The buckets of located keys, each with the latest credentials of its LOCATION object. */
class LocatedBuckets {
  readonly #open: OpenBucket;
  readonly #credentials: LocationCredentials;
  readonly #current = new Map<string, { readonly opened: string; readonly store: Promise<ObjectStore> }>();
  /** All buckets that were opened; requests may still use those with former credentials. */
  readonly #all: Promise<ObjectStore>[] = [];

  constructor(open: OpenBucket, credentials: LocationCredentials) {
    this.#open = open;
    this.#credentials = credentials;
  }

  /** @throws TesseraError STORAGE_UNAVAILABLE if there is no LOCATION object with the credentials */
  async open(root: string): Promise<ObjectStore> {
    const id = guardOf(root);
    if (id === undefined) return this.#opened(root, undefined);
    return this.#opened(root, this.#credentials.known(id) ?? (await this.#newest(root, id)));
  }

  /** The bucket with newer credentials, if there are some and the request may have failed for lack of them. */
  async reopenedAfter(root: string, error: unknown): Promise<ObjectStore | undefined> {
    const id = guardOf(root);
    const before = this.#current.get(root);
    const isUnavailable = error instanceof TesseraError && error.name === 'STORAGE_UNAVAILABLE';
    if (id === undefined || before === undefined || !isUnavailable) return undefined;
    const newest = await this.#newest(root, id);
    return JSON.stringify(newest) === before.opened ? undefined : this.#opened(root, newest);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#all.map(async (store) => (await store).close()));
  }

  async #newest(root: string, id: string): Promise<ObjectCredentials> {
    const found = await this.#credentials.newest(id);
    if (found !== undefined) return found;
    const reason = 'the LOCATION object with its credentials was dropped, or is not committed yet';
    throw TesseraError.of('STORAGE_UNAVAILABLE', { url: withoutGuard(root), reason, outcome: 'failed' });
  }

  #opened(root: string, credentials: ObjectCredentials | undefined): Promise<ObjectStore> {
    const opened = JSON.stringify(credentials) ?? '';
    const current = this.#current.get(root);
    if (current?.opened === opened) return current.store;
    const store = this.#open(withoutGuard(root), credentials);
    this.#current.set(root, { opened, store });
    this.#all.push(store);
    store.catch(() => {
      if (this.#current.get(root)?.store === store) this.#current.delete(root);
    });
    return store;
  }
}

/** The id of the LOCATION object whose credentials open the bucket. */
const guardOf = (url: string): string | undefined => /^\w+:\/\/(\w{26})@/.exec(url)?.[1];

const withoutGuard = (url: string): string => url.replace(/^(\w+:\/\/)\w{26}@/, '$1');

/** The objects of a bucket below a prefix, with URLs as keys. */
async function* listed(
  root: string,
  prefix: string,
  opening: Promise<ObjectStore>,
  options: Parameters<ObjectStore['list']>[1],
): AsyncGenerator<ObjectInfo> {
  const store = await opening;
  const startAfter = options?.startAfter?.slice(root.length) ?? '';
  for await (const info of store.list(prefix.slice(root.length), { ...options, startAfter }))
    yield { ...info, key: root + info.key };
}
