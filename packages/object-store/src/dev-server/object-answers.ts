import { type FileHandle, open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ObjectInfo, ObjectStore } from '../object-store.ts';
import { S3Failure } from './s3-failure.ts';
import type { S3Request } from './s3-request.ts';

/** GetObject and HeadObject, with ranges. */
export async function answerObject(
  store: ObjectStore,
  key: string,
  request: S3Request,
  response: ServerResponse,
): Promise<void> {
  const { info, file } = await openObject(store, key);
  try {
    checkReadConditions(info, request);
    const range = rangeOf(request.header('range'), info.bytes);
    const [start, end] = range ?? [0, info.bytes];
    response.writeHead(range === undefined ? 200 : 206, {
      'accept-ranges': 'bytes',
      'content-length': end - start,
      'content-type': 'application/octet-stream',
      etag: `"${info.etag}"`,
      'last-modified': info.modifiedAt.toUTCString(),
      ...(range !== undefined && { 'content-range': `bytes ${start}-${end - 1}/${info.bytes}` }),
    });
    if (request.method === 'HEAD' || start === end) {
      response.end();
      return;
    }
    await pipeline(file.createReadStream({ start, end: end - 1, autoClose: false }), response);
  } finally {
    await file.close();
  }
}

/** Returns the etag and the bytes of the same version, even while the object is being replaced. */
async function openObject(
  store: ObjectStore,
  key: string,
): Promise<{ readonly info: ObjectInfo; readonly file: FileHandle }> {
  for (;;) {
    const info = await store.head(key);
    if (info === undefined) throw noSuchKey(key);
    const file = await open(store.localPath!(key), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) continue;
    if ((await store.head(key))?.etag === info.etag) return { info, file };
    await file.close();
  }
}

export const noSuchKey = (key: string): S3Failure =>
  new S3Failure('NoSuchKey', `The specified key does not exist: ${key}`);

function checkReadConditions({ etag }: ObjectInfo, request: S3Request): void {
  const match = request.header('if-match');
  if (match !== undefined && !hasTag(match, etag)) {
    throw new S3Failure('PreconditionFailed', 'The object has another etag');
  }
  const noneMatch = request.header('if-none-match');
  if (noneMatch !== undefined && hasTag(noneMatch, etag)) {
    throw new S3Failure('NotModified', 'The object has this etag');
  }
}

/** Whether a condition names the etag, quoted or not. */
export const hasTag = (condition: string, etag: string): boolean =>
  condition === '*' || condition.split(',').some((one) => one.trim().replace(/^"(.*)"$/, '$1') === etag);

/** A range of bytes; `to` is exclusive. */
function rangeOf(header: string | undefined, bytes: number): readonly [number, number] | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  if (start >= bytes || end <= start) throw new S3Failure('InvalidRange', 'The range is outside the object');
  return [start, end];
}
