import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cancellation, fail, TesseraError } from '@tessera/common';
import { type BucketClient, copyBody, readBody } from '../bucket/bucket-client.ts';
import type { ObjectInfo } from '../object-store.ts';
import { copyName } from './download.ts';
import { isPattern } from './glob.ts';
import { type ObjectCredentials, openExternalBucket, type StoreDefaults } from './object-access.ts';
import { downloadObject } from './object-download.ts';
import { findObjects, type ListedWithin } from './object-matches.ts';
import {
  type ObjectAllowList,
  type ObjectUrl,
  objectUrlText,
  parseObjectUrl,
  permittingPrefix,
} from './object-url.ts';
import type {
  AccessOptions,
  ExternalReader,
  ListedDownload,
  ListedFile,
  ListOptions,
  ResolvedFiles,
  ResolveOptions,
} from './resolved-files.ts';
import type { UrlAllowList } from './url-allow-list.ts';

export interface ObjectLimits {
  readonly readable: ObjectAllowList;
  readonly writable: ObjectAllowList;
  /** The servers that a statement may use as its endpoint. */
  readonly endpoints: UrlAllowList;
  readonly stores: StoreDefaults;
}

/** Objects outside managed storage that statements read and write by their URL. */
export class ExternalObjects {
  readonly #limits: ObjectLimits;
  readonly #identity = { anonymousUntil: 0 };

  constructor(limits: ObjectLimits) {
    this.#limits = limits;
  }

  async download(text: string, options: ResolveOptions, atOnce: number): Promise<ResolvedFiles> {
    const { directory, signal, maxBytes } = options;
    return this.#reading(text, options, async (bucket, url) => {
      const objects = await found(bucket, url, text, signal);
      const large = objects.find((object) => object.bytes > maxBytes);
      if (large !== undefined) fail('FILE_TOO_LARGE', { name: urlOf(url, large), limitBytes: maxBytes });
      const files = objects.map((object) => {
        const file = listed(url, object);
        return { ...file, path: downloadPath(directory, file) };
      });
      return downloaded(bucket, files, signal, atOnce);
    });
  }

  /** Downloads objects that were listed below `text` to the given paths, at which nothing may exist. */
  downloadListed(
    text: string,
    files: readonly ListedDownload[],
    options: AccessOptions,
    atOnce: number,
  ): Promise<ResolvedFiles> {
    return this.#reading(text, options, (bucket) => downloaded(bucket, files, options.signal, atOnce));
  }

  list(text: string, options: ListOptions): Promise<readonly ListedFile[]> {
    return this.#reading(text, options, async (bucket, url) => {
      const objects = await found(bucket, url, text, options.signal, options);
      return objects.map((object) => listed(url, object));
    });
  }

  /** Calls `work` with a reader of the bucket of `text`, and closes it afterwards. */
  withReader<T>(
    text: string,
    options: AccessOptions,
    work: (reader: ExternalReader) => Promise<T>,
  ): Promise<T> {
    const { signal } = options;
    return this.#reading(text, options, (bucket, base) => {
      const keyOf = (url: string): string => {
        const object = parseObjectUrl(url);
        if (!this.#limits.readable.permits(object)) refuseReading(object, url);
        if (object.scheme !== base.scheme || object.bucket !== base.bucket)
          fail('NOT_SUPPORTED', { what: `${url}, a file in another bucket than ${text},` });
        return object.key;
      };
      return work({
        range: async ({ url, etag }, start, end) => {
          const part = await readBody(bucket, keyOf(url), { range: { start, end }, signal });
          checkVersion({ url, etag }, part?.etag);
          return part!.body.subarray(start - part!.offset, end - part!.offset);
        },
        copy: async ({ url, etag }, start, end, take) =>
          checkVersion(
            { url, etag },
            await copyBody(bucket, keyOf(url), { range: { start, end }, signal }, take),
          ),
        whole: async (url) => (await readBody(bucket, keyOf(url), { signal }))?.body,
        list: async (pattern) => {
          const objects = await findObjects(bucket, keyOf(pattern), pattern, signal);
          return objects.map((object) => listed(base, object));
        },
      });
    });
  }

  write(text: string, path: string, options: AccessOptions): Promise<void> {
    return this.#writing(text, options, (bucket, key) => bucket.writeFile(key, path, options.signal));
  }

  remove(text: string, options: AccessOptions): Promise<void> {
    return this.#writing(text, options, (bucket, key) => bucket.delete([key], options.signal));
  }

  async #writing(
    text: string,
    { signal, credentials }: AccessOptions,
    work: (bucket: BucketClient, key: string) => Promise<void>,
  ): Promise<void> {
    const url = parseObjectUrl(text);
    if (url.key === '' || url.key.endsWith('/')) {
      fail('INVALID_ARGUMENT', { message: `${text} does not name an object` });
    }
    if (!this.#limits.writable.permits(url)) {
      fail('FORBIDDEN', {
        message: `${text} may not be written: the engine must be started with --allow-write ${permittingPrefix(url)} or a longer prefix of it`,
      });
    }
    this.#checkEndpoint(url, credentials);
    const bucket = await this.#open(url, credentials);
    try {
      await work(bucket, url.key);
    } catch (error) {
      if (error instanceof TesseraError) throw error;
      if (signal.aborted) throw cancellation(signal);
      const { reason } = bucket.explain(error);
      throw TesseraError.of('STORAGE_UNAVAILABLE', { url: text, reason }, { cause: error });
    } finally {
      await bucket.close();
    }
  }

  async #reading<T>(
    text: string,
    { signal, credentials }: AccessOptions,
    work: (bucket: BucketClient, url: ObjectUrl) => Promise<T>,
  ): Promise<T> {
    const url = parseObjectUrl(text);
    if (!this.#limits.readable.permits(url)) refuseReading(url, text);
    this.#checkEndpoint(url, credentials);
    if (signal.aborted) throw cancellation(signal);
    const bucket = await this.#open(url, credentials);
    try {
      return await work(bucket, url);
    } catch (error) {
      if (signal.aborted) throw cancellation(signal);
      if (error instanceof TesseraError) throw error;
      const { reason } = bucket.explain(error);
      throw TesseraError.of('EXTERNAL_READ_FAILED', { url: text, reason }, { cause: error });
    } finally {
      await bucket.close();
    }
  }

  /** Without a permission, a statement could reach any server in the network of the engine. */
  #checkEndpoint({ bucket }: ObjectUrl, credentials: ObjectCredentials | undefined): void {
    if (credentials?.endpoint === undefined) return;
    const endpoint = URL.parse(`${credentials.endpoint.replace(/\/$/, '')}/${bucket}/`);
    if (endpoint === null || !/^https?:$/.test(endpoint.protocol)) {
      fail('INVALID_ARGUMENT', { message: 'An endpoint is an http(s):// URL' });
    }
    this.#limits.endpoints.check(endpoint);
  }

  #open(url: ObjectUrl, credentials: ObjectCredentials | undefined): Promise<BucketClient> {
    return openExternalBucket(url, credentials ?? {}, this.#limits.stores, this.#identity);
  }
}

async function downloaded(
  bucket: BucketClient,
  files: readonly ListedDownload[],
  signal: AbortSignal,
  atOnce: number,
): Promise<ResolvedFiles> {
  const dispose = async () => {
    for (const { path } of files) await rm(path, { force: true });
  };
  let next = 0;
  const worker = async () => {
    while (next < files.length) await downloadObject(bucket, files[next++]!, signal);
  };
  const results = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) {
    await dispose();
    throw failure.reason;
  }
  return { paths: files.map(({ path }) => path), files, dispose };
}

async function found(
  bucket: BucketClient,
  url: ObjectUrl,
  text: string,
  signal: AbortSignal,
  within: ListedWithin = {},
): Promise<ObjectInfo[]> {
  const objects = await findObjects(bucket, url.key, text, signal, within);
  if (objects.length > 0) return objects;
  const hint = url.key.split('/').some(isPattern) ? { hint: 'no object matches the pattern' } : {};
  return fail('FILE_NOT_FOUND', { url: text, ...hint });
}

function listed(url: ObjectUrl, object: ObjectInfo) {
  const { bytes, modifiedAt, etag } = object;
  return { url: urlOf(url, object), bytes, modifiedAt, etag };
}

const refuseReading = (url: ObjectUrl, text: string): never =>
  fail('LOCATION_NOT_ALLOWED', {
    url: text,
    reason: `the engine must be started with --allow-url ${permittingPrefix(url)} or a longer prefix of it`,
  });

const urlOf = (url: ObjectUrl, { key }: ObjectInfo): string => objectUrlText({ ...url, key });

/** Returns a unique path for a file that is downloaded. */
export const downloadPath = (directory: string, { url }: Pick<ListedFile, 'url'>): string =>
  join(directory, `external-${randomUUID()}-${copyName(parseObjectUrl(url).key)}`);

/** @param found the ETag of what was read; undefined if there is no such object */
function checkVersion({ url, etag }: Pick<ListedFile, 'url' | 'etag'>, found: string | undefined): void {
  if (found === undefined && etag === undefined) fail('FILE_NOT_FOUND', { url });
  if (found === undefined || (etag !== undefined && found !== etag))
    fail('EXTERNAL_READ_FAILED', { url, reason: 'the object was replaced while it was read' });
}
