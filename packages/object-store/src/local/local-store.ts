import { type BigIntStats, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { chmod, mkdir, open, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cancellation, readInto, TesseraError } from '@tessera/common';
import type { ObjectInfo, ObjectStore, RequestOptions, StoredObject } from '../object-store.ts';
import { StagedFiles } from './durable-file.ts';
import { ExclusiveSection } from './exclusive-section.ts';
import { keyPath, listKeys, PRIVATE_DIRECTORY } from './local-listing.ts';

export interface LocalStoreOptions {
  /**
   * Whether a write is flushed to the disk before it is acknowledged. Otherwise only a crash of the machine can
   * lose it. Default: true.
   */
  readonly fsync?: boolean;
}

const LISTED_AT_ONCE = 64;
/**
 * The number of objects that are deleted under one lock. It is held for up to some tenths of a millisecond for each of them, and other
 * processes cannot replace an object meanwhile.
 */
const DELETED_AT_ONCE = 8;

/**
 * Stores objects as files of a directory, which several processes of one machine may share. An object exists
 * completely or not at all, whenever a process or the machine stops. A key cannot extend the key of another
 * object (`a` and `a/b`).
 */
export async function openLocalStore(
  directory: string,
  options: LocalStoreOptions = {},
): Promise<LocalStore> {
  const root = resolve(directory);
  const privately = join(root, PRIVATE_DIRECTORY);
  try {
    await mkdir(join(privately, 'staged'), { recursive: true, mode: 0o700 });
    // Stores of earlier versions have directories that all users can read.
    for (const path of [root, join(root, 'meta')]) await chmod(path, 0o700).catch(() => undefined);
    const staged = new StagedFiles(join(privately, 'staged'), options.fsync ?? true);
    await staged.clear();
    return new LocalStore(root, staged, new ExclusiveSection(join(privately, 'lock')));
  } catch (error) {
    throw unavailable(pathToFileURL(root).href, error, 'failed');
  }
}

export class LocalStore implements ObjectStore {
  readonly url: string;
  readonly #root: string;
  readonly #staged: StagedFiles;
  readonly #exclusive: ExclusiveSection;

  constructor(root: string, staged: StagedFiles, exclusive: ExclusiveSection) {
    this.url = pathToFileURL(root).href;
    this.#root = root;
    this.#staged = staged;
    this.#exclusive = exclusive;
  }

  /** The file of the object on this machine, which may be linked but never written. */
  localPath(key: string): string {
    return keyPath(this.#root, key);
  }

  async get(key: string, options?: RequestOptions): Promise<StoredObject | undefined> {
    const file = await this.#open(key, options);
    if (file === undefined) return undefined;
    try {
      const found = await file.stat({ bigint: true });
      if (found.isDirectory()) return undefined;
      return { body: await file.readFile(), etag: etagOf(found) };
    } catch (error) {
      throw this.#failure(key, error, options);
    } finally {
      await file.close();
    }
  }

  async getRange(key: string, start: number, end: number, options?: RequestOptions): Promise<Uint8Array> {
    const file = await this.#open(key, options);
    if (file === undefined) throw TesseraError.of('OBJECT_NOT_FOUND', { url: this.#urlOf(key) });
    try {
      const { size } = await file.stat();
      const body = Buffer.allocUnsafe(Math.max(0, Math.min(end, size) - start));
      return body.subarray(0, await readInto(file, body, start));
    } catch (error) {
      throw this.#failure(key, error, options);
    } finally {
      await file.close();
    }
  }

  async head(key: string, options?: RequestOptions): Promise<ObjectInfo | undefined> {
    try {
      this.#check(options);
      return await infoOf(key, keyPath(this.#root, key));
    } catch (error) {
      throw this.#failure(key, error, options);
    }
  }

  async put(key: string, body: Uint8Array, options?: RequestOptions): Promise<void> {
    await this.#place(
      key,
      () => this.#staged.write(body),
      options,
      (staged, path) => this.#exclusive.run(() => renameSync(staged, path)),
    );
  }

  /** The file is linked rather than copied if possible: it may be removed afterwards, but not changed. */
  async putFile(key: string, source: string, options?: RequestOptions): Promise<void> {
    await this.#place(
      key,
      () => this.#staged.take(source),
      options,
      (staged, path) => this.#exclusive.run(() => renameSync(staged, path)),
    );
  }

  putIfAbsent(key: string, body: Uint8Array, options?: RequestOptions): Promise<'created' | 'exists'> {
    return this.#place(
      key,
      () => this.#staged.write(body),
      options,
      async (staged, path) => {
        try {
          linkSync(staged, path);
          return 'created';
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'exists';
          throw error;
        }
      },
    );
  }

  putIfMatch(
    key: string,
    body: Uint8Array,
    etag: string,
    options?: RequestOptions,
  ): Promise<'replaced' | 'changed'> {
    return this.#place(
      key,
      () => this.#staged.write(body),
      options,
      (staged, path) =>
        this.#exclusive.run(() => {
          const found = statSync(path, { bigint: true, throwIfNoEntry: false });
          if (found === undefined || etagOf(found) !== etag) return 'changed';
          renameSync(staged, path);
          return 'replaced';
        }),
    );
  }

  async *list(
    prefix: string,
    options?: RequestOptions & { readonly startAfter?: string },
  ): AsyncGenerator<ObjectInfo> {
    try {
      let batch: Promise<ObjectInfo | undefined>[] = [];
      for await (const file of listKeys(this.#root, prefix, options?.startAfter ?? '', options?.signal)) {
        const info = infoOf(file.key, file.path);
        // The result is awaited later; until then a failure must not count as unhandled.
        info.catch(() => {});
        batch.push(info);
        if (batch.length < LISTED_AT_ONCE) continue;
        yield* present(batch);
        batch = [];
      }
      yield* present(batch);
    } catch (error) {
      throw this.#failure(prefix, error, options);
    }
  }

  async delete(keys: readonly string[], options?: RequestOptions): Promise<void> {
    const directories = new Set<string>();
    try {
      for (let from = 0; from < keys.length; from += DELETED_AT_ONCE) {
        this.#check(options);
        const paths = keys.slice(from, from + DELETED_AT_ONCE).map((key) => keyPath(this.#root, key));
        // One after another, because the file system deletes names of a directory one at a time, and commits need the thread pool.
        await this.#exclusive.run(async () => {
          for (const path of paths) if (await unlinked(path)) directories.add(dirname(path));
        }, options?.signal);
      }
      for (const directory of directories) {
        await this.#staged.sync(directory);
        await this.#removeEmpty(directory);
      }
    } catch (error) {
      throw this.#failure(keys[0] ?? '', error, options);
    }
  }

  async close(): Promise<void> {
    await this.#exclusive.close();
  }

  /**
   * Writes a file under a temporary name and then moves it into place; a directory that was removed meanwhile
   * is created again.
   */
  async #place<T>(
    key: string,
    stage: () => Promise<string>,
    options: RequestOptions | undefined,
    put: (staged: string, path: string) => Promise<T>,
  ): Promise<T> {
    let staged: string | undefined;
    let outcome: 'failed' | 'unknown' = 'failed';
    try {
      this.#check(options);
      const path = keyPath(this.#root, key);
      staged = await stage();
      const result = await retryWithoutDirectory(
        () => this.#staged.makeDirectory(dirname(path)),
        () => put(staged!, path),
      );
      outcome = 'unknown';
      await this.#staged.sync(dirname(path));
      return result;
    } catch (error) {
      throw this.#failure(key, error, options, outcome);
    } finally {
      if (staged !== undefined) rmSync(staged, { force: true });
    }
  }

  async #removeEmpty(directory: string): Promise<void> {
    for (let empty = directory; empty.length > this.#root.length; empty = dirname(empty)) {
      try {
        await rmdir(empty);
      } catch {
        return;
      }
    }
  }

  async #open(key: string, options: RequestOptions | undefined) {
    try {
      this.#check(options);
      return await open(keyPath(this.#root, key));
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw this.#failure(key, error, options);
    }
  }

  #check(options: RequestOptions | undefined): void {
    if (options?.signal?.aborted) throw cancellation(options.signal);
  }

  #urlOf(key: string): string {
    return `${this.url}/${key}`;
  }

  #failure(
    key: string,
    error: unknown,
    options: RequestOptions | undefined,
    outcome: 'failed' | 'unknown' = 'failed',
  ): TesseraError {
    if (error instanceof TesseraError) return error;
    if (options?.signal?.aborted) return cancellation(options.signal);
    return unavailable(this.#urlOf(key), error, outcome);
  }
}

async function* present(batch: readonly Promise<ObjectInfo | undefined>[]): AsyncGenerator<ObjectInfo> {
  for (const pending of batch) {
    const info = await pending;
    if (info !== undefined) yield info;
  }
}

async function infoOf(key: string, path: string): Promise<ObjectInfo | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    if (found.isDirectory()) return undefined;
    return { key, bytes: Number(found.size), etag: etagOf(found), modifiedAt: found.mtime };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function etagOf(found: BigIntStats): string {
  return [found.ino, found.mtimeNs, found.size].map((n) => n.toString(36)).join('-');
}

async function retryWithoutDirectory<T>(make: () => Promise<void>, put: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await put();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 100) throw error;
    }
    // `mkdir` fails with ENOENT or ENOTDIR if a parent directory is removed during the call.
    await make().catch((error: unknown) => {
      if (!isAbsence(error)) throw error;
    });
  }
}

async function unlinked(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    // A directory is not an object.
    if (isAbsence(error) || ['EISDIR', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return false;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function unavailable(url: string, error: unknown, outcome: 'failed' | 'unknown'): TesseraError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return TesseraError.of('DISK_FULL', { what: url }, { cause: error });
  const reason = code === undefined ? message : `${code} (${message})`;
  return TesseraError.of('STORAGE_UNAVAILABLE', { url, reason, outcome }, { cause: error });
}
