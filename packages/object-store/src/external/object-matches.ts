import { fail } from '@tessera/common';
import type { BucketClient } from '../bucket/bucket-client.ts';
import type { ObjectInfo } from '../object-store.ts';
import { globMatcher, isPattern } from './glob.ts';

/** A pattern that matches more objects than this is refused, because it is a mistake or an attack on memory. */
const MAX_MATCHES = 100_000;

/** Restricts a listing to some of the files that match its pattern. */
export interface ListedWithin {
  /**
   * Whether files below the folder are listed. The folder is given by its key or path, without a slash at the
   * end.
   */
  readonly enters?: ((folder: string) => boolean) | undefined;
  /** The number of files after which the listing ends. */
  readonly limit?: number | undefined;
}

/**
 * Returns the object of the key, or otherwise the objects that match it as a pattern, in the order of keys; may
 * be empty.
 */
export async function findObjects(
  bucket: BucketClient,
  key: string,
  url: string,
  signal: AbortSignal,
  within: ListedWithin = {},
): Promise<ObjectInfo[]> {
  const exact = key === '' ? undefined : await bucket.head(key, signal);
  if (exact !== undefined) return [exact];
  const segments = key.split('/');
  const first = segments.findIndex(isPattern);
  if (first < 0) return [];
  const matches = globMatcher(segments);
  const found: ObjectInfo[] = [];
  for await (const info of enteredObjects(bucket, listedPrefix(segments, first), signal, within)) {
    // Web consoles create such objects to show an empty directory.
    if (info.key.endsWith('/') || !matches(info.key.split('/'))) continue;
    found.push(info);
    if (found.length === within.limit) return found;
    if (found.length > MAX_MATCHES) {
      fail('INVALID_ARGUMENT', { message: `${url} matches more than ${MAX_MATCHES} objects` });
    }
  }
  return found;
}

/** A key that follows every key that a store may contain. */
const LAST = '\u{10FFFF}';

/**
 * Lists the objects below the prefix, without those in folders that are skipped. If such a folder extends
 * beyond a page, the listing continues after the folder, so that its other pages are not requested.
 */
async function* enteredObjects(
  bucket: BucketClient,
  prefix: string,
  signal: AbortSignal,
  { enters }: ListedWithin,
): AsyncGenerator<ObjectInfo> {
  const decided = new Map<string, boolean>();
  const refusedFolder = (key: string): string | undefined => {
    for (let at = key.indexOf('/'); enters !== undefined && at >= 0; at = key.indexOf('/', at + 1)) {
      const folder = key.slice(0, at);
      const isEntered = decided.get(folder) ?? enters(folder);
      decided.set(folder, isEntered);
      if (!isEntered) return folder;
    }
    return undefined;
  };
  for (let after: string | undefined, isAtEnd = false; !isAtEnd; ) {
    isAtEnd = true;
    for await (const page of bucket.listPages(prefix, after, signal)) {
      for (const info of page) if (refusedFolder(info.key) === undefined) yield info;
      const skipped = page.length > 0 ? refusedFolder(page.at(-1)!.key) : undefined;
      if (skipped === undefined) continue;
      after = `${skipped}/${LAST}`;
      isAtEnd = false;
      break;
    }
  }
}

/** The literal prefix of the pattern. A store can search only by that. */
function listedPrefix(segments: readonly string[], first: number): string {
  const directories = segments.slice(0, first).map((segment) => `${segment}/`);
  const [literal = ''] = /^[^*?[]*/.exec(segments[first] ?? '') ?? [];
  return directories.join('') + literal;
}
