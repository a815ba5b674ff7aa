import { realpathSync, statSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { fail, TesseraError } from '@tessera/common';
import { expandGlob, isPattern } from './glob.ts';
import type { ListedWithin } from './object-matches.ts';

/** A pattern that matches more files than this is refused, because it is a mistake or an attack on memory. */
const MAX_MATCHES = 100_000;

/** The directories of this machine whose files statements may read. */
export class LocalDirectories {
  /** The permitted directories, with symbolic links resolved. */
  readonly roots: readonly string[];
  readonly #asGiven: readonly string[];

  constructor(directories: readonly string[]) {
    this.#asGiven = directories.map((directory) => resolve(directory));
    this.roots = this.#asGiven.map((directory) => existingDirectory(directory, '--allow-read'));
  }

  /**
   * Returns at least one regular file, as sorted real paths. Throws unless all of them are inside a permitted
   * directory.
   */
  async resolve(url: string, signal: AbortSignal, within: ListedWithin = {}): Promise<string[]> {
    const path = resolve(pathOf(url));
    // This is checked before the file system is accessed, so that the response reveals nothing about other
    // places.
    if (!isInside(path, [...this.#asGiven, ...this.roots])) this.#refuse(url, path);
    const exact = await this.#realPath(url, path);
    if (exact !== undefined) return [await regularFile(url, exact)];
    if (!isPattern(path)) fail('FILE_NOT_FOUND', { url });
    return this.#expand(url, path, signal, within);
  }

  async #expand(
    url: string,
    pattern: string,
    signal: AbortSignal,
    { enters, limit }: ListedWithin,
  ): Promise<string[]> {
    const segments = pattern.split(sep);
    const firstGlob = segments.findIndex(isPattern);
    const base = await this.#realPath(url, segments.slice(0, firstGlob).join(sep) || sep);
    const found = new Set<string>();
    if (base !== undefined) {
      for await (const match of expandGlob(base, segments.slice(firstGlob), signal, enters)) {
        const path = await this.#realPath(url, match);
        if (path === undefined || !(await stat(path)).isFile()) continue;
        found.add(path);
        if (found.size === limit) break;
        if (found.size > MAX_MATCHES) {
          fail('INVALID_ARGUMENT', { message: `${url} matches more than ${MAX_MATCHES} files` });
        }
      }
    }
    if (found.size === 0) fail('FILE_NOT_FOUND', { url, hint: 'no file matches the pattern' });
    return [...found].sort();
  }

  /**
   * Undefined if nothing exists at `path`. Refuses symbolic links that lead out of the permitted directories.
   */
  async #realPath(url: string, path: string): Promise<string | undefined> {
    let real: string | undefined;
    try {
      real = await realpath(path);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
        // Below a link that leads out of the permitted directories, even "does not exist" would reveal
        // something. Therefore the lowest existing parent decides.
        await this.#realPath(url, dirname(path));
        return undefined;
      }
      throw readFailure(url, error);
    }
    if (!isInside(real, this.roots)) this.#refuse(url, path, real !== path);
    return real;
  }

  #refuse(url: string, path: string, byLink = false): never {
    return fail('LOCATION_NOT_ALLOWED', {
      url,
      reason: byLink
        ? 'a symbolic link leads out of the directories given with --allow-read'
        : `the engine must be started with --allow-read ${dirname(path)} or a directory above it`,
    });
  }
}

/** Returns the path of a `file://` URL, or the path itself, which must be absolute. */
export function pathOf(url: string): string {
  const file = /^file:\/\/(localhost(?=\/))?/i.exec(url);
  let path = url;
  if (file !== null) {
    try {
      path = decodeURIComponent(url.slice(file[0].length));
    } catch (cause) {
      fail('INVALID_ARGUMENT', { message: `${url} is not a valid file URL` }, { cause });
    }
  }
  if (!path.startsWith('/')) {
    const expected = file === null ? 'an absolute path or a URL' : 'file:///path, without a host';
    const resolution =
      'Paths are those of the node. Send a file of yours with the request and read it as upload://<name>.';
    fail('INVALID_ARGUMENT', { message: `${url}: expected ${expected}` }, { resolution });
  }
  if (path.includes('\0')) fail('INVALID_ARGUMENT', { message: 'A path may not hold a NUL character' });
  return path;
}

/** Returns the directory with symbolic links resolved. */
export function existingDirectory(directory: string, flag: string): string {
  try {
    const real = realpathSync(directory);
    if (statSync(real).isDirectory()) return real;
  } catch (cause) {
    fail('INVALID_ARGUMENT', { message: `${flag} ${directory}: cannot be opened` }, { cause });
  }
  return fail('INVALID_ARGUMENT', { message: `${flag} ${directory}: not a directory` });
}

async function regularFile(url: string, path: string): Promise<string> {
  const found = await stat(path);
  if (found.isDirectory())
    fail('BAD_FILE', { name: url, reason: 'it is a directory; add a pattern such as /*' });
  // A pipe would block the reader indefinitely, and a device might never end.
  if (!found.isFile()) fail('BAD_FILE', { name: url, reason: 'it is not a regular file' });
  return path;
}

export function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
}

function readFailure(url: string, cause: unknown): TesseraError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
  const reasons: Record<string, string> = {
    EACCES: 'permission denied',
    ELOOP: 'its symbolic links form a loop',
  };
  return TesseraError.of('EXTERNAL_READ_FAILED', { url, reason: reasons[code] ?? code }, { cause });
}
