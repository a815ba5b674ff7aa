import { randomUUID } from 'node:crypto';
import { closeSync, constants, fsync, futimesSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Longer than any file is being written without a byte added. */
const ABANDONED_AFTER_MS = 3_600_000;

/**
 * Smaller bodies are written synchronously, except that they reach the disk: they go to the page cache, and each call
 * takes less time than a turn of the thread pool.
 */
const SMALL_BYTES = 1024 * 1024;

const synced = promisify(fsync);

/** Files that are written whole beside the objects and then given their name. */
export class StagedFiles {
  readonly #directory: string;
  readonly #fsync: boolean;
  #lastTimeUs = 0;

  constructor(directory: string, fsync: boolean) {
    this.#directory = directory;
    this.#fsync = fsync;
  }

  /** Removes what processes that were killed have left behind. */
  async clear(): Promise<void> {
    for (const name of await readdir(this.#directory)) {
      const path = join(this.#directory, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && found.ctimeMs < Date.now() - ABANDONED_AFTER_MS)
        await rm(path, { force: true });
    }
  }

  /** A new file with these bytes, for nobody else to read, on disk as a whole; the caller renames, links or removes it. */
  async write(body: Uint8Array): Promise<string> {
    const path = this.#newPath();
    if (body.length <= SMALL_BYTES) return this.#writeSmall(path, body);
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(body);
      await this.#stamp(file);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    return path;
  }

  async #writeSmall(path: string, body: Uint8Array): Promise<string> {
    const file = openSync(path, 'wx', 0o600);
    try {
      writeFileSync(file, body);
      futimesSync(file, new Date(), this.#newTime());
      if (this.#fsync) await synced(file);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    return path;
  }

  /** Like {@link write}, from a file, without copying if the file system supports that. */
  async take(source: string): Promise<string> {
    const path = this.#newPath();
    try {
      await link(source, path).catch(() =>
        copyFile(source, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
      );
      const file = await open(path, 'r');
      try {
        await this.#stamp(file);
      } finally {
        await file.close();
      }
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return path;
  }

  /** Makes the names in a directory last. */
  async sync(directory: string): Promise<void> {
    if (!this.#fsync) return;
    let opened: number;
    try {
      opened = openSync(directory, 'r');
    } catch (error) {
      // Emptied and removed since: the name is gone with it.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    try {
      await synced(opened);
    } finally {
      closeSync(opened);
    }
  }

  /** Makes the directory with those above it, so that they last. */
  async makeDirectory(path: string): Promise<void> {
    const first = await mkdir(path, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    for (let made = path; made.length >= first.length; made = dirname(made)) await this.sync(dirname(made));
  }

  #newPath(): string {
    return join(this.#directory, randomUUID());
  }

  async #stamp(file: Awaited<ReturnType<typeof open>>): Promise<void> {
    await file.utimes(new Date(), this.#newTime());
    if (this.#fsync) await file.sync();
  }

  /**
   * Etags rest on the time of modification, in seconds: no two files of one process get the same one, whatever the
   * clock's grain.
   */
  #newTime(): number {
    this.#lastTimeUs = Math.max(Date.now() * 1_000, this.#lastTimeUs + 1);
    return this.#lastTimeUs / 1e6;
  }
}
