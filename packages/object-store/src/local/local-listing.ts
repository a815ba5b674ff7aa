import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fail } from '@tessera/common';

/** The directory of the store's own files, beside the objects; no key can refer to it. */
export const PRIVATE_DIRECTORY = '%private';

/** The maximum length of a name in common file systems, in bytes. */
const LONGEST_NAME = 255;

/**
 * The file of a key. A segment of letters, digits and `._-=+@,~` is its own name; every other byte is percent-encoded,
 * and so is a leading dot.
 * @throws INVALID_ARGUMENT for a key with an empty segment, or one too long for a file name
 */
export function keyPath(root: string, key: string): string {
  const names = key.split('/').map(encodeSegment);
  if (names.some((name) => name === '' || name.length > LONGEST_NAME)) {
    fail('INVALID_ARGUMENT', { message: `"${key}" cannot be the key of an object in a local directory` });
  }
  return join(root, names.join(sep));
}

function encodeSegment(segment: string): string {
  return [...Buffer.from(segment)]
    .map((byte, index) => {
      const character = String.fromCharCode(byte);
      const plain = /[A-Za-z0-9_\-=+@,~]/.test(character) || (character === '.' && index > 0);
      return plain ? character : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}

/** Reverses {@link encodeSegment}; undefined for a file name that no key produces. */
function decodeSegment(name: string): string | undefined {
  if (name === PRIVATE_DIRECTORY) return undefined;
  try {
    const segment = decodeURIComponent(name);
    return encodeSegment(segment) === name ? segment : undefined;
  } catch {
    return undefined;
  }
}

export interface ListedFile {
  readonly key: string;
  readonly path: string;
}

/** Yields the keys below `prefix` after `startAfter`, in the order of their UTF-8 bytes. */
export async function* listKeys(
  root: string,
  prefix: string,
  startAfter: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedFile> {
  const directories = prefix.split('/').slice(0, -1);
  const base = directories.map((name) => `${name}/`).join('');
  yield* walk(join(root, ...directories.map(encodeSegment)), base, { prefix, startAfter, signal });
}

interface Bounds {
  readonly prefix: string;
  readonly startAfter: string;
  readonly signal: AbortSignal | undefined;
}

async function* walk(directory: string, base: string, bounds: Bounds): AsyncGenerator<ListedFile> {
  bounds.signal?.throwIfAborted();
  for (const { key, name, isDirectory } of sorted(await entriesOf(directory), base)) {
    if (!overlaps(key, bounds.prefix, isDirectory)) continue;
    const path = join(directory, name);
    if (!isDirectory) {
      if (bounds.startAfter === '' || compareKeys(key, bounds.startAfter) > 0) yield { key, path };
    } else if (compareKeys(key, bounds.startAfter) > 0 || bounds.startAfter.startsWith(key)) {
      yield* walk(path, key, bounds);
    }
  }
}

/** A directory is sorted by the position of its keys, as if its name ended in `/`. */
function sorted(entries: readonly Dirent[], base: string) {
  return entries
    .flatMap((entry) => {
      const segment = decodeSegment(entry.name);
      if (segment === undefined) return [];
      const isDirectory = entry.isDirectory();
      return [{ key: `${base}${segment}${isDirectory ? '/' : ''}`, name: entry.name, isDirectory }];
    })
    .sort((a, b) => compareKeys(a.key, b.key));
}

function overlaps(key: string, prefix: string, isDirectory: boolean): boolean {
  return key.startsWith(prefix) || (isDirectory && prefix.startsWith(key));
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/**
 * Compares keys by their UTF-8 bytes. The order of UTF-16 units differs only between surrogates and U+E000 and above.
 */
function compareKeys(a: string, b: string): number {
  return /[\ud800-\uffff]/.test(a + b)
    ? Buffer.compare(Buffer.from(a), Buffer.from(b))
    : a < b
      ? -1
      : a > b
        ? 1
        : 0;
}
