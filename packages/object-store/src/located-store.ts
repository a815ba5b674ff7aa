import { objectUrlText, parseObjectUrl } from './external/object-url.ts';
import type { ObjectInfo, ObjectStore } from './object-store.ts';

/**
 * Whether the key of an object is a URL, because the object is outside the managed store, at the LOCATION of a
 * table.
 */
export const isLocated = (key: string): boolean => key.includes('://');

/** The bucket of a located key, as a URL that ends with a slash. */
export const bucketOf = (key: string): string => objectUrlText({ ...parseObjectUrl(key), key: '' });

/**
 * The managed store, which also takes URLs as keys: those of tables with a LOCATION elsewhere. Their buckets are opened when they are
 * first used.
 * @param open opens a bucket by its URL
 */
export function locatedStore(own: ObjectStore, open: (url: string) => Promise<ObjectStore>): ObjectStore {
  const buckets = new Map<string, Promise<ObjectStore>>();
  const bucket = (root: string): Promise<ObjectStore> => {
    const known = buckets.get(root);
    if (known !== undefined) return known;
    const opening = open(root);
    buckets.set(root, opening);
    opening.catch(() => buckets.delete(root));
    return opening;
  };
  const at = async <T>(key: string, work: (store: ObjectStore, key: string) => Promise<T>): Promise<T> => {
    if (!isLocated(key)) return work(own, key);
    const root = bucketOf(key);
    return work(await bucket(root), key.slice(root.length));
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
      return listed(root, prefix, bucket(root), options);
    },
    delete: async (keys, options) => {
      for (const [root, some] of Map.groupBy(keys, (key) => (isLocated(key) ? bucketOf(key) : '')))
        await (root === '' ? own : await bucket(root)).delete(
          some.map((key) => key.slice(root.length)),
          options,
        );
    },
    ...(own.localPath && { localPath: (key: string) => own.localPath!(key) }),
    close: async () => {
      await Promise.allSettled([...buckets.values()].map(async (store) => (await store).close()));
      await own.close();
    },
  };
}

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
