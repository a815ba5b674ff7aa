import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import {
  cancellation,
  connectionFailure,
  fail,
  followRedirects,
  RedirectFailure,
  TesseraError,
  timeoutSignal,
  timerMs,
} from '@tessera/common';
import type { Dispatcher } from 'undici';
import { printableUrl, type UrlAllowList } from './url-allow-list.ts';

export interface DownloadLimits {
  readonly connectTimeoutMs: number;
  /** The maximum silence of the server, before and within the body. */
  readonly idleTimeoutMs: number;
  /** The time limit of the whole download, including redirects. */
  readonly totalTimeoutMs: number;
  readonly redirects: number;
}

export const DEFAULT_DOWNLOAD_LIMITS: DownloadLimits = {
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 60_000,
  totalTimeoutMs: 3_600_000,
  redirects: 5,
};

export interface DownloadOptions {
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly allowed: UrlAllowList;
  readonly limits: DownloadLimits;
  readonly agent: Dispatcher;
}

export interface Downloaded {
  readonly path: string;
  readonly url: string;
  /** The size of the local file, after decompression. */
  readonly bytes: number;
  readonly modifiedAt: Date | undefined;
  readonly dispose: () => Promise<void>;
}

/** Downloads the URL into a new file of the directory. If the download fails, no file remains. */
export async function download(text: string, o: DownloadOptions): Promise<Downloaded> {
  const url = URL.parse(text) ?? fail('INVALID_ARGUMENT', { message: 'Not a valid http(s):// URL' });
  const deadline = timeoutSignal(o.limits.totalTimeoutMs);
  const signal = AbortSignal.any([o.signal, deadline]);
  const path = join(o.directory, `external-${randomUUID()}-${copyName(url.pathname)}`);
  const dispose = () => rm(path, { force: true });
  try {
    if (o.signal.aborted) throw cancellation(o.signal);
    const response = await follow(url, signal, o);
    await save(response, path, signal, o.maxBytes, printableUrl(url));
    const modified = new Date(header(response, 'last-modified') ?? '');
    const modifiedAt = Number.isNaN(modified.getTime()) ? undefined : modified;
    if (modifiedAt !== undefined) await utimes(path, new Date(), modifiedAt);
    return { path, url: printableUrl(url), bytes: (await stat(path)).size, modifiedAt, dispose };
  } catch (error) {
    await dispose();
    if (o.signal.aborted) throw cancellation(o.signal);
    if (deadline.aborted) {
      throw failed(url, `it took longer than ${o.limits.totalTimeoutMs / 1000} s`, error);
    }
    throw downloadError(url, error);
  }
}

const follow = (first: URL, signal: AbortSignal, o: DownloadOptions): Promise<Dispatcher.ResponseData> =>
  followRedirects(first, o.limits.redirects, async (url) => {
    o.allowed.check(url);
    const { request } = await import('undici');
    return request(withoutUserInfo(url), {
      dispatcher: o.agent,
      signal,
      headers: { 'accept-encoding': 'gzip, identity', ...basicAuthorization(url) },
      headersTimeout: timerMs(o.limits.idleTimeoutMs),
      bodyTimeout: timerMs(o.limits.idleTimeoutMs),
    });
  });

async function save(
  response: Dispatcher.ResponseData,
  path: string,
  signal: AbortSignal,
  maxBytes: number,
  name: string,
): Promise<void> {
  const decoders = contentDecoders(header(response, 'content-encoding') ?? '', name);
  const file = createWriteStream(path, { highWaterMark: 1 << 20, mode: 0o600 });
  try {
    await pipeline([response.body, ...decoders, byteLimit(maxBytes, name), file], { signal });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      fail('DISK_FULL', { what: name }, { cause: error });
    throw error;
  }
}

function byteLimit(maxBytes: number, name: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(TesseraError.of('FILE_TOO_LARGE', { name, limitBytes: maxBytes }));
      else done(null, chunk);
    },
  });
}

/** The error of the statement for any failure of the download. */
function downloadError(url: URL, error: unknown): TesseraError {
  if (error instanceof TesseraError) return error;
  if (!(error instanceof RedirectFailure)) return failed(url, reasonOf(error), error);
  if (error.status !== 404 && error.status !== 410) return failed(error.url, error.message);
  return TesseraError.of('FILE_NOT_FOUND', { url: printableUrl(error.url), hint: error.message });
}

function failed(url: URL, reason: string, cause?: unknown): TesseraError {
  return TesseraError.of('EXTERNAL_READ_FAILED', { url: printableUrl(url), reason }, { cause });
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return 'its compressed body is truncated';
  if (code === 'Z_DATA_ERROR') return 'its compressed body is corrupt';
  return connectionFailure(error);
}

/**
 * The name of the local copy of a file. It keeps the extensions, by which the kernel recognises compressed
 * files, but no glob characters and no path.
 */
export const copyName = (path: string): string =>
  (path.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9._-]/g, '_').slice(-80);

function withoutUserInfo(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

function basicAuthorization(url: URL): { authorization?: string } {
  if (url.username === '' && url.password === '') return {};
  const plain = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(plain).toString('base64')}` };
}

function header(response: Dispatcher.ResponseData, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** The decoders that undo a response's `Content-Encoding`, in the order the body must pass them. `name` is for errors. */
function contentDecoders(contentEncoding: string, name: string): Transform[] {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > 3)
    fail('EXTERNAL_READ_FAILED', { url: name, reason: 'more than three content codings' });
  return codings.reverse().map((coding) => {
    const create = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
    return (
      create?.() ??
      fail('EXTERNAL_READ_FAILED', { url: name, reason: `unknown Content-Encoding "${coding}"` })
    );
  });
}
