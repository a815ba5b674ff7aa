import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newRequestId } from '@tessera/common';
import type { RequestDirectory } from './statement-request.ts';

/** The directory of one request below a common root; created on first use. */
export class LazyRequestDirectory implements RequestDirectory {
  readonly #root: string;
  #made: Promise<string> | undefined;

  /** @param root created if it does not exist */
  constructor(root: string) {
    this.#root = root;
  }

  open(): Promise<string> {
    this.#made ??= makeDirectory(this.#root);
    return this.#made;
  }

  /** Deletes the directory with its contents, if it was created; may be called repeatedly. */
  async remove(): Promise<void> {
    const path = await this.#made?.catch(() => undefined);
    if (path !== undefined) await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Deletes what a crash left below `root`; called at start-up, before the first request. Returns the number of
 * directories.
 */
export async function clearRequestDirectories(root: string): Promise<number> {
  const leftOvers = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const entry of leftOvers) await rm(join(root, entry), { recursive: true, force: true });
  return leftOvers.length;
}

/** Creates a directory that only the engine's user can read. */
async function makeDirectory(root: string): Promise<string> {
  const path = join(root, newRequestId());
  await mkdir(root, { recursive: true, mode: 0o700 });
  await mkdir(path, { mode: 0o700 });
  return path;
}
