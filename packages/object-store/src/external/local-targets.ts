import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fail } from '@tessera/common';
import { existingDirectory, isInside, pathOf } from './local-directories.ts';

/** Directories of this machine into which statements may write files. */
export class LocalTargets {
  readonly #roots: readonly string[];

  /** @throws INVALID_ARGUMENT naming `--allow-write` when a directory does not exist */
  constructor(directories: readonly string[]) {
    this.#roots = directories.map((directory) => existingDirectory(resolve(directory), '--allow-write'));
  }

  /** Puts a copy of `source` at `url`, whole or not at all; missing directories are made. */
  async write(url: string, source: string): Promise<void> {
    const path = resolve(pathOf(url));
    const directory = dirname(path);
    const there = await deepestDirectory(directory);
    if (!isInside(join(there.real, path.slice(there.path.length)), this.#roots)) {
      fail('FORBIDDEN', {
        message: `${url} may not be written: the engine must be started with --allow-write ${directory} or a directory above it`,
      });
    }
    await mkdir(directory, { recursive: true });
    const real = await realpath(directory);
    if (!isInside(real, this.#roots))
      fail('FORBIDDEN', { message: `${url} may not be written: a symbolic link leads out` });
    const target = join(real, path.slice(directory.length));
    if ((await lstat(target).catch(() => undefined))?.isDirectory()) {
      fail('INVALID_ARGUMENT', { message: `${url} is a directory` });
    }
    const staged = join(real, `.${randomUUID()}.tmp`);
    try {
      await copyFile(source, staged, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      await rename(staged, target);
    } catch (error) {
      await rm(staged, { force: true });
      throw error;
    }
  }
}

/** The lowest directory above that is there, and where it really is. */
async function deepestDirectory(path: string): Promise<{ path: string; real: string }> {
  try {
    return { path, real: await realpath(path) };
  } catch (error) {
    if (path === dirname(path)) throw error;
    return deepestDirectory(dirname(path));
  }
}
