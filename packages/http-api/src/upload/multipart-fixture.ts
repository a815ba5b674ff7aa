import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { TesseraError } from '@tessera/common';
import { expect, onTestFinished } from 'vitest';
import { DEFAULT_UPLOAD_LIMITS, type ReceivedUpload, receiveUpload, type UploadLimits } from './index.ts';

/** Shared by the tests of uploads: builds bodies, receives them in pieces, and describes failures. */
export const BOUNDARY = 'test-boundary';
export const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

type Content = Buffer | string;

export const part = (headers: readonly string[], content: Content): Buffer =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ]);

export const sqlPart = (sql: Content, ...headers: string[]): Buffer =>
  part(['Content-Disposition: form-data; name="sql"', ...headers], sql);

export const filePart = (name: string, content: Content, ...headers: string[]): Buffer =>
  part([`Content-Disposition: form-data; name="${name}"; filename="any"`, ...headers], content);

export const bodyOf = (...parts: Buffer[]): Buffer =>
  Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);

export function inPieces(body: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size));
  return pieces;
}

export interface ReceiveFixtureOptions {
  readonly pieces?: number;
  readonly contentType?: string;
  readonly limits?: Partial<UploadLimits>;
  readonly signal?: AbortSignal;
  readonly localFileKey?: string;
  readonly onProgress?: (receivedBytes: number) => void;
}

/** A directory for the running test, which must have closed its files at the end. */
async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-upload-test-'));
  onTestFinished(async () => {
    expect(await openFilesBelow(directory)).toEqual([]);
    await rm(directory, { recursive: true });
  });
  return directory;
}

export async function receive(
  body: Buffer | Readable,
  options: ReceiveFixtureOptions = {},
): Promise<ReceivedUpload> {
  const stream = body instanceof Readable ? body : Readable.from(inPieces(body, options.pieces ?? 64 * 1024));
  return receiveUpload(stream, options.contentType ?? CONTENT_TYPE, {
    directory: await newDirectory(),
    limits: { ...DEFAULT_UPLOAD_LIMITS, diskReserveBytes: 0, ...options.limits },
    signal: options.signal ?? new AbortController().signal,
    localFileKey: options.localFileKey,
    onProgress: options.onProgress,
  });
}

/** The received statement and the content of each received file. */
export async function received(
  body: Buffer | Readable,
  options?: ReceiveFixtureOptions,
): Promise<{ sql: string; files: Record<string, Buffer> }> {
  const { sql, files } = await receive(body, options);
  const contents = await Promise.all(
    [...files.values()].map(async ({ name, path, bytes }) => {
      const content = await readFile(path);
      expect(bytes).toBe(content.length);
      return [name, content] as const;
    }),
  );
  return { sql, files: Object.fromEntries(contents) };
}

/** Awaits a failure and returns it as `NAME: message`. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TesseraError)) throw new Error('expected a TesseraError', { cause: error });
  return `${error.name}: ${error.message}`;
}

/**
 * The files below a directory that this process still has open; empty if the system does not provide that
 * list.
 */
async function openFilesBelow(directory: string): Promise<string[]> {
  const links = await readdir('/proc/self/fd').catch(() => []);
  const targets = await Promise.all(links.map((link) => readlink(`/proc/self/fd/${link}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(directory));
}
