import type { ObjectInfo, ObjectStore } from '../object-store.ts';
import { xml } from './s3-failure.ts';

const MAX_KEYS = 1_000;

/** ListObjectsV2. A continuation token is the last key of the previous page. */
export async function listObjects(
  store: ObjectStore,
  bucket: string,
  query: URLSearchParams,
): Promise<string> {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const token = query.get('continuation-token');
  const startAfter = token === null ? query.get('start-after') : Buffer.from(token, 'base64url').toString();
  const maxKeys = Math.min(MAX_KEYS, Number(query.get('max-keys') ?? MAX_KEYS));
  const encode = query.get('encoding-type') === 'url' ? encodeURIComponent : (text: string) => text;
  const page = await pageOf(store, { prefix, delimiter, startAfter: startAfter ?? '', maxKeys });
  return xml('ListBucketResult', {
    Name: bucket,
    Prefix: encode(prefix),
    KeyCount: page.objects.length + page.prefixes.length,
    MaxKeys: maxKeys,
    ...(delimiter !== '' && { Delimiter: encode(delimiter) }),
    IsTruncated: page.next !== undefined,
    ...(page.next !== undefined && { NextContinuationToken: Buffer.from(page.next).toString('base64url') }),
    Contents: page.objects.map(({ key, bytes, etag, modifiedAt }) => ({
      Key: encode(key),
      LastModified: modifiedAt.toISOString(),
      ETag: `"${etag}"`,
      Size: bytes,
      StorageClass: 'STANDARD',
    })),
    CommonPrefixes: page.prefixes.map((one) => ({ Prefix: encode(one) })),
  });
}

interface PageRequest {
  readonly prefix: string;
  readonly delimiter: string;
  readonly startAfter: string;
  readonly maxKeys: number;
}

interface Page {
  readonly objects: readonly ObjectInfo[];
  readonly prefixes: readonly string[];
  /** The key after which the next page begins; undefined on the last page. */
  readonly next: string | undefined;
}

async function pageOf(
  store: ObjectStore,
  { prefix, delimiter, startAfter, maxKeys }: PageRequest,
): Promise<Page> {
  const objects: ObjectInfo[] = [];
  const prefixes: string[] = [];
  let last: string | undefined;
  for await (const object of store.list(prefix, { startAfter })) {
    const end = delimiter === '' ? -1 : object.key.indexOf(delimiter, prefix.length);
    const common = end < 0 ? undefined : object.key.slice(0, end + delimiter.length);
    const isShown = common !== undefined && (prefixes.at(-1) === common || startAfter.startsWith(common));
    if (!isShown) {
      if (objects.length + prefixes.length === maxKeys) return { objects, prefixes, next: last };
      if (common === undefined) objects.push(object);
      else prefixes.push(common);
    }
    last = object.key;
  }
  return { objects, prefixes, next: undefined };
}
