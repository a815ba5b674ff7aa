import type { IncomingMessage } from 'node:http';
import { S3Failure } from './s3-failure.ts';

/** A request of S3's protocol, with the bucket in the path. */
export interface S3Request {
  readonly method: string;
  /** Whose request it is. */
  readonly accessKeyId: string;
  /** Undefined for requests about the server itself. */
  readonly bucket: string | undefined;
  /** Undefined for requests about the bucket itself. */
  readonly key: string | undefined;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  /** The payload without its transfer encoding. */
  body(): AsyncIterable<Uint8Array>;
  /** The length of the payload; undefined if it is only known at its end. */
  readonly bodyBytes: number | undefined;
}

/** @throws S3Failure if the request is not signed with one of the access keys */
export function s3RequestOf(message: IncomingMessage, accessKeyIds: readonly string[]): S3Request {
  const url = new URL(message.url ?? '/', 'http://s3');
  const header = (name: string) => {
    const value = message.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const accessKeyId = accessKeyOf(header('authorization'), url.searchParams);
  if (!accessKeyIds.includes(accessKeyId))
    throw new S3Failure('InvalidAccessKeyId', 'The access key id does not exist in our records');
  const [, bucket, key] = /^\/([^/]*)(?:\/(.*))?$/s.exec(url.pathname) ?? [];
  const isChunked = header('x-amz-content-sha256')?.startsWith('STREAMING-') === true;
  const length = header(isChunked ? 'x-amz-decoded-content-length' : 'content-length');
  return {
    method: message.method ?? 'GET',
    accessKeyId,
    bucket: bucket === undefined || bucket === '' ? undefined : decodeURIComponent(bucket),
    key: key === undefined || key === '' ? undefined : decodeURIComponent(key),
    query: url.searchParams,
    header,
    body: () => (isChunked ? chunkedPayload(message) : message),
    bodyBytes: length === undefined ? undefined : Number(length),
  };
}

/** Callers must know an access key id; signatures are not verified. */
function accessKeyOf(authorization: string | undefined, query: URLSearchParams): string {
  const credential =
    /Credential=([^/,\s]+)\//.exec(authorization ?? '')?.[1] ??
    query.get('X-Amz-Credential')?.split('/', 1)[0];
  if (credential === undefined) throw new S3Failure('AccessDenied', 'The request is not signed');
  return credential;
}

/**
 * Extracts the payload of a body in the encoding `aws-chunked`: `<length in hex>[;chunk-signature=…]\r
 * <bytes>\r
 * `, ended by a chunk of length 0 and trailers. Signatures and checksums are ignored.
 */
async function* chunkedPayload(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  let buffered = Buffer.alloc(0);
  const more = async () => {
    const next = await source.next();
    if (next.done) throw new S3Failure('InvalidArgument', 'The body ends inside a chunk');
    buffered = Buffer.concat([buffered, next.value]);
  };
  for (;;) {
    let lineEnd = buffered.indexOf('\r\n');
    while (lineEnd < 0) {
      await more();
      lineEnd = buffered.indexOf('\r\n');
    }
    const length = Number.parseInt(buffered.toString('latin1', 0, lineEnd), 16);
    if (!Number.isSafeInteger(length)) {
      throw new S3Failure('InvalidArgument', 'A chunk of the body has no length');
    }
    buffered = buffered.subarray(lineEnd + 2);
    if (length === 0) break;
    let left = length;
    while (left > 0) {
      if (buffered.length === 0) await more();
      const part = buffered.subarray(0, left);
      left -= part.length;
      buffered = buffered.subarray(part.length);
      yield part;
    }
    while (buffered.length < 2) await more();
    buffered = buffered.subarray(2);
  }
  // The trailers must be read before the connection can be reused.
  while (!(await source.next()).done);
}
