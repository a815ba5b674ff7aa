import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newRequestId } from '@tessera/common';
import type { RequestDirectory } from './statement-request.ts';

/** A directory of one request, below a root that all of them have: made when something first needs it. */
export class LazyRequestDirectory implements RequestDirectory {
  readonly #root: string;
  #made: Promise<string> | undefined;

  /** `root` is made as well where it is missing. */
  constructor(root: string) {
    this.#root = root;
  }

  open(): Promise<string> {
    this.#made ??= makeDirectory(this.#root);
    return this.#made;
  }

  /** Deletes the directory with everything in it, if it was made; may be called more than once. */
  async remove(): Promise<void> {
    const path = await this.#made?.catch(() => undefined);
    if (path !== undefined) await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Deletes what a crash left below `root`; for start-up, before the first request. Gives the number of requests. */
export async function clearRequestDirectories(root: string): Promise<number> {
  const leftOvers = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const entry of leftOvers) await rm(join(root, entry), { recursive: true, force: true });
  return leftOvers.length;
}

/** Readable by the engine's user only. */
async function makeDirectory(root: string): Promise<string> {
  const path = join(root, newRequestId());
  await mkdir(root, { recursive: true, mode: 0o700 });
  await mkdir(path, { mode: 0o700 });
  return path;
}
