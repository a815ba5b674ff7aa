import { join, sep } from 'node:path';
import { fail } from '@tessera/common';

/** Directory of the store's own files, beside the objects: no key can name it. */
export const PRIVATE_DIRECTORY = '%private';

/** Longest name that the usual file systems take, in bytes. */
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

export function encodeSegment(segment: string): string {
  return [...Buffer.from(segment)]
    .map((byte, index) => {
      const character = String.fromCharCode(byte);
      const plain = /[A-Za-z0-9_\-=+@,~]/.test(character) || (character === '.' && index > 0);
      return plain ? character : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}

/** Undoes {@link encodeSegment}; undefined for the name of a file that no key makes. */
export function decodeSegment(name: string): string | undefined {
  if (name === PRIVATE_DIRECTORY) return undefined;
  try {
    const segment = decodeURIComponent(name);
    return encodeSegment(segment) === name ? segment : undefined;
  } catch {
    return undefined;
  }
}
