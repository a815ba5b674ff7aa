import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, newUlid, TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import type { BackedUpObject } from './backup-manifest.ts';

/** The size of one read; larger objects go through a file. */
const PIECE_BYTES = 16 << 20;

export interface CopyOptions {
  readonly from: ObjectStore;
  /** If undefined, the object is only read and verified. */
  readonly to: ObjectStore | undefined;
  /** The key of the copy; by default that of the object. */
  readonly as?: string;
  /** A directory for temporary files. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/**
 * Copies an object byte for byte.
 * @throws TesseraError OBJECT_NOT_FOUND; INVALID_ARGUMENT if it is not the `expected` object, in which case
 * nothing is written
 */
export async function copyObject(
  key: string,
  { from, to, as = key, scratch, signal }: CopyOptions,
  expected?: BackedUpObject,
): Promise<BackedUpObject> {
  const info = await from.head(key, { signal });
  if (info === undefined) throw TesseraError.of('OBJECT_NOT_FOUND', { url: `${from.url}/${key}` });
  const { bytes } = info;
  const hash = createHash('sha256');
  const check = () => checked({ key: as, bytes, sha256: hash.digest('hex') }, expected, from);
  if (bytes <= PIECE_BYTES) {
    const body = await piece(from, key, 0, bytes, signal);
    hash.update(body);
    const copied = check();
    await to?.put(as, body, { signal });
    return copied;
  }
  const path = join(scratch, newUlid());
  const file = to && (await open(path, 'wx', 0o600));
  try {
    for (let start = 0; start < bytes; start += PIECE_BYTES) {
      const body = await piece(from, key, start, Math.min(bytes, start + PIECE_BYTES), signal);
      hash.update(body);
      await writeAll(file, body);
    }
    await file?.close();
    const copied = check();
    await to?.putFile(as, path, { signal });
    return copied;
  } finally {
    await file?.close();
    await rm(path, { force: true });
  }
}

async function piece(
  store: ObjectStore,
  key: string,
  start: number,
  end: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const body = await store.getRange(key, start, end, { signal });
  if (body.length === end - start) return body;
  throw TesseraError.of('STORAGE_UNAVAILABLE', {
    url: `${store.url}/${key}`,
    reason: 'it became shorter while it was read',
    outcome: 'failed',
  });
}

async function writeAll(file: FileHandle | undefined, body: Uint8Array): Promise<void> {
  for (let written = 0; file !== undefined && written < body.length; )
    written += (await file.write(body, written)).bytesWritten;
}

function checked(
  found: BackedUpObject,
  expected: BackedUpObject | undefined,
  store: ObjectStore,
): BackedUpObject {
  if (expected === undefined) return found;
  if (found.bytes === expected.bytes && found.sha256 === expected.sha256) return found;
  return fail('INVALID_ARGUMENT', {
    message: `${store.url}/${found.key} is damaged: it has ${found.bytes} bytes with the SHA-256 ${found.sha256}, and the backup had ${expected.bytes} bytes with ${expected.sha256}`,
  });
}
