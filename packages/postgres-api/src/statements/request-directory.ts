import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newRequestId } from '@tessera/common';
import type { RequestDirectory } from '@tessera/coordinator';

/** A directory of one statement below `root`, made when something first needs it, and removed if it was. */
export class StatementDirectory implements RequestDirectory {
  readonly #root: string;
  #made: Promise<string> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  open(): Promise<string> {
    this.#made ??= makeDirectory(this.#root);
    return this.#made;
  }

  async remove(): Promise<void> {
    const path = await this.#made;
    if (path !== undefined) await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Readable by the engine's user only. */
async function makeDirectory(root: string): Promise<string> {
  const path = join(root, newRequestId());
  await mkdir(root, { recursive: true, mode: 0o700 });
  await mkdir(path, { mode: 0o700 });
  return path;
}
