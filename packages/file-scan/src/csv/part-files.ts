import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Files of ended tasks of at most this total size are kept for reuse: overwriting a file costs a tenth of writing a
 * new one, because its pages exist.
 */
const MAX_SPARE_BYTES = 256 << 20;

/** Opens a file for writing at a path where none exists. It may be longer than what is written, until it is truncated. */
export type CreateFile = (path: string) => Promise<FileHandle>;

export const createFile: CreateFile = (path) => open(path, 'wx', 0o600);

/** The files into which tasks copy parts of text files, one directory for each task. */
export class PartFiles {
  readonly #directory: string;
  readonly #maxSpareBytes: number;
  readonly #spare: { readonly path: string; readonly bytes: number }[] = [];
  #spareBytes = 0;
  #kept = 0;

  /** @param directory that of all tasks */
  constructor(directory: string, maxSpareBytes = MAX_SPARE_BYTES) {
    this.#directory = directory;
    this.#maxSpareBytes = maxSpareBytes;
  }

  readonly create: CreateFile = async (path) => {
    const spare = this.#spare.pop();
    if (spare === undefined) return createFile(path);
    this.#spareBytes -= spare.bytes;
    await rename(spare.path, path);
    return open(path, 'r+');
  };

  /** Removes the directory of a task whose files are no longer read, and keeps some of the files. */
  async take(directory: string): Promise<void> {
    for (const name of await readdir(directory)) {
      const from = join(directory, name);
      const { size } = await stat(from);
      if (this.#spareBytes + size > this.#maxSpareBytes) continue;
      this.#spareBytes += size;
      const path = join(this.#directory, `spare-${++this.#kept}`);
      await rename(from, path);
      this.#spare.push({ path, bytes: size });
    }
    await rm(directory, { recursive: true, force: true });
  }
}
