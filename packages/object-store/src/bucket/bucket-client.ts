import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { discardBytes, pause, type TakeBytes } from '@tessera/common';
import type { ObjectInfo } from '../object-store.ts';

/** The vendors' clients retry requests, but not if a body is cut off. */
const BODY_TRIES = 5;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

export interface WholeBody {
  readonly etag: string;
  /** The offset of the body within the object. */
  readonly offset: number;
  readonly body: Uint8Array;
}

/** Reads an object or a range of it, repeatedly if necessary, until a body of the announced length arrives. */
export const readBody = (
  client: BucketClient,
  key: string,
  request: ReadRequest,
): Promise<WholeBody | undefined> =>
  withBody(
    client,
    key,
    () => request,
    async (found) => ({
      etag: found.etag,
      offset: found.offset,
      body: await collect(found),
    }),
  );

/**
 * Passes a range of an object to `take` in pieces, each once and in order, and returns the ETag of the object. If the body breaks off,
 * the rest is requested. At most one piece is in memory, however long the range is.
 */
export function copyBody(
  client: BucketClient,
  key: string,
  request: ReadRequest & Required<Pick<ReadRequest, 'range'>>,
  take: TakeBytes,
): Promise<string | undefined> {
  const { start, end } = request.range!;
  let next = start;
  let etag: string | undefined;
  const rest = () => ({ ...request, range: { start: next, end } });
  return withBody(client, key, rest, async (found) => {
    if (next > start && found.etag !== etag)
      throw new NotRepeatable('', { cause: new Error('the object was replaced while it was read') });
    etag = found.etag;
    const passed = passOn(found, { start: next, end }, async (bytes, position) => {
      await take(bytes, position);
      next = position + bytes.length;
    });
    await passed.catch((error: unknown) => {
      if (next < end) throw error;
    });
    return etag;
  });
}

/** Reading the bytes again is of no use: their receiver failed, or they are no longer there. */
class NotRepeatable extends Error {}

async function withBody<T>(
  client: BucketClient,
  key: string,
  requestNow: () => ReadRequest,
  work: (found: BodyInFlight) => Promise<T>,
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt++) {
    const request = requestNow();
    const found = await client.read(key, request);
    if (found === undefined) return undefined;
    const done = await work(found).then(
      (value) => ({ value }),
      (error: Error) => ({ error }),
    );
    if ('value' in done) return done.value;
    if (done.error instanceof NotRepeatable) throw done.error.cause;
    if (attempt === BODY_TRIES) throw done.error;
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS) * Math.random();
    await pause(waitMs, { signal: request.signal });
  }
}

async function collect(found: BodyInFlight): Promise<Uint8Array> {
  const { stream, bytes } = found;
  if (bytes === undefined) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  const body = Buffer.allocUnsafeSlow(bytes);
  let filled = 0;
  await drain(found, (chunk) => {
    if (filled + chunk.length > bytes) throw new Error(`the body is longer than the ${bytes} bytes promised`);
    body.set(chunk, filled);
    filled += chunk.length;
  });
  checkLength(filled, bytes);
  return body;
}

/**
 * Passes the chunks of a body to `put` as they arrive, and frees them if that is allowed. Iterating over the stream would copy chunks in
 * order to join those that wait.
 */
async function drain(
  { stream, ownsChunks = false }: BodyInFlight,
  put: (chunk: Uint8Array) => Promise<void> | undefined | void,
): Promise<void> {
  if (!ownsChunks) {
    for await (const chunk of stream) await put(chunk);
    return;
  }
  const putAndFree = async (chunk: Uint8Array, waiting: Promise<void>) => {
    await waiting;
    discardBytes(chunk);
  };
  const write = (chunk: Uint8Array, _: unknown, callback: (error?: Error) => void) => {
    try {
      const waiting = put(chunk);
      if (waiting !== undefined) {
        putAndFree(chunk, waiting).then(() => callback(), callback);
        return;
      }
      discardBytes(chunk);
      callback();
    } catch (error) {
      callback(error as Error);
    }
  };
  await pipeline(stream, new Writable({ write }));
}

/** The bytes of a body that are written at once. */
const PIECE_BYTES = 1 << 20;

async function passOn(
  found: BodyInFlight,
  { start, end }: { readonly start: number; readonly end: number },
  take: TakeBytes,
): Promise<void> {
  const { offset, bytes } = found;
  const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - start));
  let filled = 0;
  let received = 0;
  let position = start;
  const flush = async () => {
    await take(piece.subarray(0, filled), position).catch((cause: unknown) => {
      throw new NotRepeatable('', { cause });
    });
    position += filled;
    filled = 0;
  };
  const putRest = async (rest: Uint8Array) => {
    for (let left = put(rest); left !== undefined; left = put(left)) await flush();
  };
  /** Returns what does not fit into a full piece; undefined if the piece is not full. */
  const put = (rest: Uint8Array): Uint8Array | undefined => {
    if (rest.length === 0) return undefined;
    const copied = Math.min(rest.length, piece.length - filled);
    piece.set(rest.subarray(0, copied), filled);
    filled += copied;
    return filled === piece.length ? rest.subarray(copied) : undefined;
  };
  try {
    await drain(found, (chunk) => {
      const at = offset + received;
      received += chunk.length;
      const left = put(chunk.subarray(Math.max(0, start - at), Math.max(0, end - at)));
      return left && flush().then(() => putRest(left));
    });
    checkLength(received, bytes);
    if (filled > 0) await flush();
  } finally {
    discardBytes(piece);
  }
}

function checkLength(received: number, bytes = received): void {
  if (received < bytes) throw new Error(`the body broke off after ${received} of ${bytes} bytes`);
}

/** The fields that errors of all vendors' clients have. */
interface VendorError {
  readonly status?: number | undefined;
  /** The vendor's name of the error, or that of the operating system. */
  readonly code?: string | undefined;
  readonly message: string;
}

const NETWORK: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host name does not resolve',
  EAI_AGAIN: 'its host name does not resolve at the moment',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ETIMEDOUT: 'the server could not be reached in time',
  EHOSTUNREACH: 'the server could not be reached',
  ENETUNREACH: 'the server could not be reached',
};

/** Explains the error to the person who must fix its cause. */
export function explainVendorError({ status, code, message }: VendorError): Explanation {
  const said = code === undefined || message.includes(code) ? message : `${code}: ${message}`;
  if (code !== undefined && NETWORK[code] !== undefined) {
    // The address or the name follows the code: `connect ECONNREFUSED 10.0.0.1:9000`.
    const place = message.split(code)[1]?.trim() ?? '';
    const reason = place === '' ? NETWORK[code] : `${NETWORK[code]} (${place})`;
    return { reason, mayHaveHappened: true };
  }
  if (status === undefined) return { reason: said, mayHaveHappened: true };
  if (status === 401 || status === 403) {
    return { reason: `access is denied (${said})`, mayHaveHappened: false };
  }
  if (status >= 500 || status === 408 || status === 429) {
    return { reason: `the server answered ${status} (${said})`, mayHaveHappened: true };
  }
  return { reason: `the server answered ${status} (${said})`, mayHaveHappened: false };
}

/**
 * The operations of one vendor's bucket, in terms that all vendors share. Keys are complete. Methods throw the vendor's
 * own errors after the vendor's own retries; `explain` interprets them.
 */
export interface BucketClient {
  /** `s3://bucket`, without a slash at the end. */
  readonly url: string;
  /** The maximum number of keys in one `delete`. */
  readonly deletedAtOnce: number;
  /** Undefined if the object does not exist, or has another etag than `request.etag`. */
  read(key: string, request: ReadRequest): Promise<BodyInFlight | undefined>;
  head(key: string, signal: AbortSignal | undefined): Promise<ObjectInfo | undefined>;
  /** `refused`: the condition is not met. */
  write(
    key: string,
    body: Uint8Array,
    condition: WriteCondition | undefined,
    signal: AbortSignal | undefined,
  ): Promise<'written' | 'refused'>;
  writeFile(key: string, path: string, signal: AbortSignal | undefined): Promise<void>;
  /** Lists pages of keys in byte order. */
  listPages(
    prefix: string,
    startAfter: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncIterable<readonly ObjectInfo[]>;
  delete(keys: readonly string[], signal: AbortSignal | undefined): Promise<void>;
  explain(error: unknown): Explanation;
  close(): Promise<void>;
}

export interface ReadRequest {
  /**
   * A range of bytes: `start` (inclusive) to `end` (exclusive), where `start < end`. An object may end before
   * either.
   */
  readonly range?: { readonly start: number; readonly end: number } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An object while it is received. */
export interface BodyInFlight {
  readonly etag: string;
  /** The offset of the stream within the object. */
  readonly offset: number;
  /** The number of bytes announced by the response; undefined if it announced none. */
  readonly bytes: number | undefined;
  readonly stream: AsyncIterable<Uint8Array>;
  /** Whether nothing else reads the chunks of the stream, so that they may be freed. Otherwise that is not known. */
  readonly ownsChunks?: boolean;
}

export type WriteCondition = { readonly absent: true } | { readonly etag: string };

export interface Explanation {
  readonly reason: string;
  /** Whether a write that failed with this error may have happened nevertheless. */
  readonly mayHaveHappened: boolean;
}

const REQUESTS_IN_PARALLEL = 32;

/** Calls `request` for every key, for some of them at the same time. */
export async function eachInParallel(
  keys: readonly string[],
  request: (key: string) => Promise<void>,
): Promise<void> {
  const left = [...keys];
  const worker = async () => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) await request(key);
  };
  await Promise.all(Array.from({ length: Math.min(REQUESTS_IN_PARALLEL, keys.length) }, worker));
}
