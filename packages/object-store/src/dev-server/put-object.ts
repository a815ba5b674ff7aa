import { rm } from 'node:fs/promises';
import type { ObjectStore } from '../object-store.ts';
import { hasTag, noSuchKey } from './object-answers.ts';
import { receivedBytes, receivedFile } from './received-body.ts';
import { preconditionFailed, S3Failure } from './s3-failure.ts';
import type { S3Request } from './s3-request.ts';

/** Larger bodies are first written to a file. */
const MEMORY_BYTES = 8 << 20;

/** PutObject, also with `If-None-Match: *` and `If-Match`. Returns the etag. */
export async function putObject(
  store: ObjectStore,
  key: string,
  request: S3Request,
  staging: string,
): Promise<string> {
  const ifNoneMatch = request.header('if-none-match');
  const ifMatch = request.header('if-match');
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') {
    throw new S3Failure('NotImplemented', 'If-None-Match of a write takes * only');
  }
  if (ifNoneMatch !== undefined) {
    const outcome = await store.putIfAbsent(key, await receivedBytes(request.body()));
    if (outcome === 'exists') throw preconditionFailed();
  } else if (ifMatch !== undefined) {
    await replace(store, key, await receivedBytes(request.body()), ifMatch);
  } else if ((request.bodyBytes ?? Number.POSITIVE_INFINITY) <= MEMORY_BYTES) {
    await store.put(key, await receivedBytes(request.body()));
  } else {
    const file = await receivedFile(staging, request.body());
    try {
      await store.putFile(key, file);
    } finally {
      await rm(file, { force: true });
    }
  }
  return (await store.head(key))?.etag ?? '';
}

async function replace(store: ObjectStore, key: string, body: Buffer, condition: string): Promise<void> {
  const now = await store.head(key);
  if (now === undefined) throw noSuchKey(key);
  if (!hasTag(condition, now.etag)) throw preconditionFailed();
  if ((await store.putIfMatch(key, body, now.etag)) === 'changed') throw preconditionFailed();
}
