import { fail } from '@tessera/common';
import type { BucketClient } from '../bucket/bucket-client.ts';
import type { ObjectInfo } from '../object-store.ts';
import { globMatcher, isPattern } from './glob.ts';

/** A pattern that matches more objects than this is refused: it is a mistake, or an attack on memory. */
const MAX_MATCHES = 100_000;

/** The object of the key, or else those that match it as a pattern, in the order of keys; may be none. */
export async function findObjects(
  bucket: BucketClient,
  key: string,
  url: string,
  signal: AbortSignal,
): Promise<ObjectInfo[]> {
  const exact = key === '' ? undefined : await bucket.head(key, signal);
  if (exact !== undefined) return [exact];
  const segments = key.split('/');
  const first = segments.findIndex(isPattern);
  if (first < 0) return [];
  const matches = globMatcher(segments);
  const found: ObjectInfo[] = [];
  for await (const page of bucket.listPages(listedPrefix(segments, first), undefined, signal)) {
    for (const info of page) {
      // Web consoles create such objects to show an empty directory.
      if (info.key.endsWith('/') || !matches(info.key.split('/'))) continue;
      found.push(info);
      if (found.length > MAX_MATCHES) {
        fail('INVALID_ARGUMENT', { message: `${url} matches more than ${MAX_MATCHES} objects` });
      }
    }
  }
  return found;
}

/** The literal prefix of the pattern, which is all that a store can search by itself. */
function listedPrefix(segments: readonly string[], first: number): string {
  const directories = segments.slice(0, first).map((segment) => `${segment}/`);
  const [literal = ''] = /^[^*?[]*/.exec(segments[first] ?? '') ?? [];
  return directories.join('') + literal;
}
