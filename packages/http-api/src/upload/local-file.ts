import { timingSafeEqual } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, realpath, stat } from 'node:fs/promises';
import { fail } from '@tessera/common';
import type { ParameterizedValue } from './header-parameters.ts';

const EXTERNAL = 'message/external-body';

/**
 * The path in a part that refers to a file of this machine instead of containing it (RFC 2046, section 5.2.3):
 * `Content-Type: message/external-body; access-type=local-file; name="%2Ftmp%2Ftrips.csv"; key="…"`. Undefined for every other
 * part, and for one without the node's key: it would let any client read what the node can.
 * @param key only the program that started the node knows it; undefined if the node takes no such parts
 */
export function localPath(type: ParameterizedValue, key: string | undefined): string | undefined {
  const isExternal = type.value === EXTERNAL && type.parameters.get('access-type') === 'local-file';
  // An empty key would be known to everyone.
  if (!isExternal || key === undefined || key === '') return undefined;
  if (!isSame(type.parameters.get('key') ?? '', key)) return undefined;
  return decodeURIComponent(type.parameters.get('name') ?? '');
}

function isSame(given: string, key: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Makes a file of this machine readable at `path`, and returns its size. Within a file system this is a hard link; a symbolic
 * one would lead out of the directories that the kernel may read. Between file systems the file is copied.
 * @param content that of the part, which is ignored
 */
export async function linkLocalFile(
  content: AsyncIterable<Buffer>,
  file: string,
  path: string,
  part: string,
): Promise<number> {
  for await (const _ of content);
  const refuse = (error: Error) => fail('BAD_UPLOAD', { part, reason: error.message });
  // A hard link of a symbolic link would be another symbolic link.
  const target = await realpath(file).catch(refuse);
  const found = await stat(target).catch(refuse);
  if (!found.isFile()) fail('BAD_UPLOAD', { part, reason: `${file} is not a file` });
  await link(target, path)
    .catch(() => copyFile(target, path, constants.COPYFILE_FICLONE))
    .catch(refuse);
  return found.size;
}
