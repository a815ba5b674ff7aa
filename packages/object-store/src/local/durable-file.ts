import { randomUUID } from 'node:crypto';
import { closeSync, constants, fsync, futimesSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Longer than the time for which a file can be open for writing without growing. */
const ABANDONED_AFTER_MS = 3_600_000;

/**
 * Smaller bodies are written synchronously to the page cache, because each call takes less time than a turn of
 * the thread pool; only the flush to the disk is asynchronous.
 */
const SMALL_BYTES = 1024 * 1024;

const synced = promisify(fsync);

/** Writes complete files beside the objects, which then get their names. */
export class StagedFiles {
  readonly #directory: string;
  readonly #fsync: boolean;
  #lastTimeUs = 0;

  constructor(directory: string, fsync: boolean) {
    this.#directory = directory;
    this.#fsync = fsync;
  }

  /** Removes what killed processes have left behind. */
  async clear(): Promise<void> {
    for (const name of await readdir(this.#directory)) {
      const path = join(this.#directory, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && found.ctimeMs < Date.now() - ABANDONED_AFTER_MS)
        await rm(path, { force: true });
    }
  }

  /**
   * Writes a new file with these bytes, readable only by this user, completely to the disk. The caller renames,
   * links or removes it.
   */
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

  /** Flushes the names in a directory to the disk. */
  async sync(directory: string): Promise<void> {
    if (!this.#fsync) return;
    let opened: number;
    try {
      opened = openSync(directory, 'r');
    } catch (error) {
      // The directory was emptied and removed meanwhile, and the name with it.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    try {
      await synced(opened);
    } finally {
      closeSync(opened);
    }
  }

  /** Creates the directory and its parents, and flushes them to the disk. */
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
   * Etags depend on the modification time in seconds. No two files of one process get the same one, whatever
   * the resolution of the clock.
   */
  #newTime(): number {
    this.#lastTimeUs = Math.max(Date.now() * 1_000, this.#lastTimeUs + 1);
    return this.#lastTimeUs / 1e6;
  }
}
