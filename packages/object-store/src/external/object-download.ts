import { open, rm } from 'node:fs/promises';
import { fail, writeAt } from '@tessera/common';
import { type BucketClient, copyBody } from '../bucket/bucket-client.ts';
import { parseObjectUrl } from './object-url.ts';
import type { ListedDownload } from './resolved-files.ts';

const CHUNK_BYTES = 8 << 20;
const CHUNKS_AT_ONCE = 4;

/**
 * Copies a listed object into a new file, in ranges, all of the version that was listed, and with its
 * modification time.
 */
export async function downloadObject(
  bucket: BucketClient,
  { url, path, bytes, etag, modifiedAt }: ListedDownload,
  signal: AbortSignal,
): Promise<void> {
  const { key } = parseObjectUrl(url);
  const file = await open(path, 'wx', 0o600);
  const stop = new AbortController();
  const chunkSignal = AbortSignal.any([signal, stop.signal]);
  let next = 0;
  const worker = async () => {
    while (next < bytes) {
      const start = next;
      next += CHUNK_BYTES;
      const range = { start, end: Math.min(next, bytes) };
      const write = (piece: Buffer, position: number) => writeAt(file, piece, position);
      const found = await copyBody(bucket, key, { range, signal: chunkSignal }, write);
      if (found !== etag)
        fail('EXTERNAL_READ_FAILED', { url, reason: 'the object was replaced while it was read' });
    }
  };
  try {
    await Promise.all(Array.from({ length: CHUNKS_AT_ONCE }, worker));
    if (modifiedAt !== undefined) await file.utimes(new Date(), modifiedAt);
  } catch (error) {
    stop.abort();
    await rm(path, { force: true });
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      fail('DISK_FULL', { what: url }, { cause: error });
    throw error;
  } finally {
    await file.close();
  }
}
