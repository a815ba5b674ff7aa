import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fail, TesseraError } from '@tessera/common';
import type { Agent } from 'undici';
import { DEFAULT_DOWNLOAD_LIMITS, type DownloadLimits, download } from './download.ts';
import { downloadPath, ExternalObjects } from './external-objects.ts';
import { existingDirectory, isInside, LocalDirectories, pathOf } from './local-directories.ts';
import { localFile, localReader } from './local-reader.ts';
import type { SchemeOverride } from './object-access.ts';
import { isObjectScheme, ObjectAllowList } from './object-url.ts';
import type {
  AccessOptions,
  ExternalReader,
  ListedDownload,
  ListedFile,
  ListOptions,
  ResolvedFiles,
  ResolveOptions,
} from './resolved-files.ts';
import { UrlAllowList } from './url-allow-list.ts';

/** The directories of this machine into which statements may write files. */
class LocalTargets {
  readonly #roots: readonly string[];

  /** @throws INVALID_ARGUMENT that names `--allow-write` if a directory does not exist */
  constructor(directories: readonly string[]) {
    this.#roots = directories.map((directory) => existingDirectory(resolve(directory), '--allow-write'));
  }

  /** Removes a file that `write` created at `url`. */
  async remove(url: string): Promise<void> {
    const path = resolve(pathOf(url));
    if (isInside(await realpath(dirname(path)), this.#roots)) await rm(path, { force: true });
  }

  /** Copies `source` to `url`, completely or not at all; missing directories are created. */
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

/** Returns the lowest existing directory above the path, and its real path. */
async function deepestDirectory(path: string): Promise<{ path: string; real: string }> {
  try {
    return { path, real: await realpath(path) };
  } catch (error) {
    if (path === dirname(path)) throw error;
    return deepestDirectory(dirname(path));
  }
}

export interface ExternalAllowList {
  /** Directories whose files may be read (`--allow-read`); each must exist. */
  readonly directories: readonly string[];
  /** `http(s)://host[:port]/path` and `s3://`, `gs://`, `azure://` prefixes that may be read (`--allow-url`). */
  readonly urlPrefixes: readonly string[];
  /** Directories, which must exist, and `s3://`, `gs://`, `azure://` prefixes that may be written (`--allow-write`). */
  readonly writable?: readonly string[];
  /** The endpoint of `s3://` buckets unless a statement names another one (`storage.default_s3_endpoint_override`). */
  readonly s3Endpoint?: string | undefined;
  /** The store of a scheme that `storage.api_scheme` overrides. */
  readonly schemeOverride?: SchemeOverride | undefined;
  readonly limits?: Partial<DownloadLimits>;
}

const DOWNLOADS_AT_ONCE = 4;

/**
 * Resolves the URLs that a statement reads to local files, and writes its results, both within what the engine
 * is permitted.
 */
export class ExternalSources {
  readonly #local: LocalDirectories;
  readonly #targets: LocalTargets;
  readonly #urls: UrlAllowList;
  readonly #objects: ExternalObjects;
  readonly #limits: DownloadLimits;
  /** The connections of downloads, from the first one on. */
  #agent: Promise<Agent> | undefined;

  /** Throws INVALID_ARGUMENT naming the flag when a directory does not exist or a prefix is not a URL. */
  constructor(allow: ExternalAllowList) {
    const writable = allow.writable ?? [];
    this.#local = new LocalDirectories(allow.directories);
    this.#targets = new LocalTargets(writable.filter((place) => !isObjectUrl(place)));
    this.#urls = new UrlAllowList(allow.urlPrefixes.filter((prefix) => !isObjectUrl(prefix)));
    this.#objects = new ExternalObjects({
      readable: new ObjectAllowList(allow.urlPrefixes.filter(isObjectUrl)),
      writable: new ObjectAllowList(writable.filter(isObjectUrl)),
      endpoints: this.#urls,
      stores: { s3Endpoint: allow.s3Endpoint, override: allow.schemeOverride },
    });
    this.#limits = { ...DEFAULT_DOWNLOAD_LIMITS, ...allow.limits };
  }

  /** The permitted directories with symbolic links resolved, which the kernel must be able to read. */
  get directories(): readonly string[] {
    return this.#local.roots;
  }

  /** Whether `resolve` downloads, so that it needs a directory of the request. */
  downloads(url: string): boolean {
    const scheme = schemeOf(url);
    return scheme !== undefined && scheme !== 'file';
  }

  /**
   * `url`: an absolute path or `file://` URL, or an object of `s3://`, `gs://` or `azure://`, each with `*`, `**`, `?`,
   * `[…]`; or an `http(s)://` URL.
   */
  async resolve(url: string, options: ResolveOptions): Promise<ResolvedFiles> {
    const scheme = schemeOf(url);
    if (scheme === undefined || scheme === 'file') {
      const paths = await this.#local.resolve(url, options.signal);
      return { paths, files: await Promise.all(paths.map(localFile)), dispose: async () => {} };
    }
    if (scheme === 'http' || scheme === 'https') {
      const file = await download(url, {
        ...options,
        allowed: this.#urls,
        limits: this.#limits,
        agent: await this.#downloadAgent(),
      });
      return { paths: [file.path], files: [file], dispose: file.dispose };
    }
    if (isObjectScheme(scheme)) return this.#objects.download(url, options, DOWNLOADS_AT_ONCE);
    return fail('NOT_SUPPORTED', { what: `Reading ${scheme}:// URLs` });
  }

  /**
   * Returns the files that `resolve` would return, without their content, or those of them that the options
   * select. There is no such list for `http(s)://`.
   */
  async list(url: string, options: ListOptions): Promise<readonly ListedFile[]> {
    const scheme = schemeOf(url);
    if (scheme === undefined || scheme === 'file') {
      const paths = await this.#local.resolve(url, options.signal, options);
      return Promise.all(paths.map(localFile));
    }
    if (isObjectScheme(scheme)) return this.#objects.list(url, options);
    return fail('NOT_SUPPORTED', { what: `Listing ${scheme}:// URLs` });
  }

  /** Whether the files of a URL are objects of a store, which every node can read. */
  isObjectUrl(url: string): boolean {
    return isObjectUrl(url);
  }

  /** Whether `list` can list the files of a URL. */
  isListed(url: string): boolean {
    const scheme = schemeOf(url);
    return scheme === undefined || scheme === 'file' || isObjectScheme(scheme);
  }

  /** The path within a directory at which a listed object may be stored. */
  downloadPath(directory: string, file: Pick<ListedFile, 'url'>): string {
    return downloadPath(directory, file);
  }

  /**
   * Downloads objects that `list` returned for the URL to paths at which nothing exists. @throws TesseraError
   * like `resolve`
   */
  async downloadListed(url: string, files: readonly ListedDownload[], options: AccessOptions): Promise<void> {
    await this.#objects.downloadListed(url, files, options, DOWNLOADS_AT_ONCE);
  }

  /**
   * Calls `work` with a reader of the files in the bucket of the URL, or of this node.
   * @throws TesseraError LOCATION_NOT_ALLOWED, EXTERNAL_READ_FAILED, what `work` throws
   */
  withReader<T>(
    url: string,
    options: AccessOptions,
    work: (reader: ExternalReader) => Promise<T>,
  ): Promise<T> {
    const scheme = schemeOf(url);
    if (scheme === undefined || scheme === 'file') return work(localReader(this.#local, options.signal));
    if (isObjectScheme(scheme)) return this.#objects.withReader(url, options, work);
    return fail('NOT_SUPPORTED', { what: `Reading tables at ${scheme}:// URLs` });
  }

  /**
   * Copies a local file to an absolute path, a `file://` URL or an object URL, replacing what exists there.
   * @throws FORBIDDEN outside of what `--allow-write` permits; STORAGE_UNAVAILABLE
   */
  async write(url: string, path: string, options: AccessOptions): Promise<void> {
    const scheme = schemeOf(url);
    if (scheme === undefined || scheme === 'file') return this.#targets.write(url, path);
    if (isObjectScheme(scheme)) return this.#objects.write(url, path, options);
    return fail('NOT_SUPPORTED', { what: `Writing to ${scheme}:// URLs` });
  }

  /** Removes a file that `write` created. @throws TesseraError like `write` */
  async remove(url: string, options: AccessOptions): Promise<void> {
    const scheme = schemeOf(url);
    if (isObjectScheme(scheme ?? '')) return this.#objects.remove(url, options);
    return this.#targets.remove(url);
  }

  /** The library takes 8 MB, so it is loaded when something is downloaded. */
  #downloadAgent(): Promise<Agent> {
    const timeout = this.#limits.connectTimeoutMs;
    this.#agent ??= import('undici').then(({ Agent }) => new Agent({ connect: { timeout } }));
    return this.#agent;
  }

  /** Ends downloads that still run and frees the connections. */
  async close(): Promise<void> {
    await (await this.#agent)?.destroy(TesseraError.of('DRAINING', {}));
  }
}

function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
}

function isObjectUrl(text: string): boolean {
  return isObjectScheme(schemeOf(text) ?? '');
}
