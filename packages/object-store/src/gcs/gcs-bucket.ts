import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { type ApiError, type Bucket, type File, IdempotencyStrategy, Storage } from '@google-cloud/storage';
import { fail } from '@tessera/common';
import { type AuthClient, GoogleAuth, Impersonated, JWT } from 'google-auth-library';
import {
  type BodyInFlight,
  type BucketClient,
  type Explanation,
  eachInParallel,
  explainVendorError,
  type ReadRequest,
  type WriteCondition,
} from '../bucket/bucket-client.ts';
import type { ObjectInfo } from '../object-store.ts';

export interface GcsBucketOptions {
  readonly bucket: string;
  /** The URL scheme in messages. */
  readonly scheme: string;
  /** The endpoint; by default, Google's own. Another endpoint gets no credentials. */
  readonly endpoint?: string | undefined;
  /** The service account to impersonate, with the identity of the standard chain. */
  readonly impersonate?: string | undefined;
  /** The key of a service account, as JSON. It is used instead of every other identity. */
  readonly serviceAccountKey?: string | undefined;
  /** The attempts at a write, including the first; by default, those of the SDK. */
  readonly uploadTries?: number | undefined;
}

const READ_TRIES = 10;
const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_write';
/** Larger files are uploaded in chunks, each of which is retried separately. */
const CHUNK_BYTES = 16 << 20;

/** A bucket of Google Cloud Storage. Etags are generations. */
export class GcsBucket implements BucketClient {
  readonly url: string;
  readonly deletedAtOnce = 1_000;
  readonly #reader: Bucket;
  readonly #writer: Bucket;

  static async open(options: GcsBucketOptions): Promise<GcsBucket> {
    const { impersonate, serviceAccountKey } = options;
    if (serviceAccountKey !== undefined) return new GcsBucket(options, accountOf(serviceAccountKey));
    return new GcsBucket(options, impersonate === undefined ? undefined : await actingAs(impersonate));
  }

  private constructor(
    { bucket, scheme, endpoint, uploadTries, serviceAccountKey }: GcsBucketOptions,
    authClient?: AuthClient,
  ) {
    const client = (tries: number | undefined) =>
      new Storage({
        ...(endpoint !== undefined && { apiEndpoint: endpoint, projectId: 'none' }),
        ...(authClient !== undefined && { authClient }),
        // An emulator gets no identity, but credentials that a statement gives for it.
        useAuthWithCustomEndpoint: serviceAccountKey !== undefined,
        retryOptions: {
          ...(tries !== undefined && { maxRetries: tries - 1 }),
          // Writing the same bytes once more does no harm, whether there is a condition or not.
          idempotencyStrategy: IdempotencyStrategy.RetryAlways,
        },
      }).bucket(bucket);
    this.#reader = client(READ_TRIES);
    this.#writer = client(uploadTries);
    this.url = `${scheme}${bucket}`;
  }

  async create(): Promise<void> {
    await this.#writer.create();
  }

  async read(key: string, { range, signal }: ReadRequest): Promise<BodyInFlight | undefined> {
    // The checksum covers the whole object.
    const part = range === undefined ? { validation: 'crc32c' as const } : { validation: false as const };
    const stream = this.#reader.file(key).createReadStream({
      ...part,
      ...(range !== undefined && { start: range.start, end: range.end - 1 }),
      decompress: false,
    });
    const abort = () => void stream.destroy(new Error('aborted'));
    signal?.addEventListener('abort', abort, { once: true });
    // Without a listener, an error after the last read would end the process.
    stream.on('error', () => {}).on('close', () => signal?.removeEventListener('abort', abort));
    try {
      const [answer] = (await once(stream.resume().pause(), 'response')) as [IncomingMessage];
      // A refusal arrives as a response before the SDK raises it as an error.
      if ((answer.statusCode ?? 0) >= 300) await once(stream.resume(), 'end');
      return bodyOf(answer, stream);
    } catch (error) {
      stream.destroy();
      if (codeOf(error) === 416) return { etag: '', offset: range?.start ?? 0, bytes: 0, stream: nothing() };
      if (isNoSuchObject(error)) return undefined;
      throw error;
    }
  }

  async head(key: string, signal: AbortSignal | undefined): Promise<ObjectInfo | undefined> {
    try {
      const file = this.#reader.file(key);
      await unlessAborted(file.getMetadata(), signal);
      return infoOf(file);
    } catch (error) {
      if (isNoSuchObject(error)) return undefined;
      throw error;
    }
  }

  async write(
    key: string,
    body: Uint8Array,
    condition: WriteCondition | undefined,
    signal: AbortSignal | undefined,
  ): Promise<'written' | 'refused'> {
    const conditions =
      condition === undefined
        ? {}
        : { preconditionOpts: { ifGenerationMatch: 'absent' in condition ? 0 : condition.etag } };
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    try {
      const saved = this.#writer.file(key).save(bytes, { resumable: false, ...conditions });
      await unlessAborted(saved, signal);
      return 'written';
    } catch (error) {
      if (condition !== undefined && codeOf(error) === 412) return 'refused';
      throw error;
    }
  }

  async writeFile(key: string, path: string, signal: AbortSignal | undefined): Promise<void> {
    const { size } = await stat(path);
    const resumable = size > CHUNK_BYTES;
    const options = { destination: key, resumable, ...(resumable && { chunkSize: CHUNK_BYTES }) };
    await unlessAborted(this.#writer.upload(path, options), signal);
  }

  async *listPages(
    prefix: string,
    startAfter: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly ObjectInfo[]> {
    const first = { prefix, ...(startAfter !== undefined && { startOffset: startAfter }) };
    for (let query: object | null = first; query !== null; ) {
      // The SDK leaves `autoPaginate` out of the next query.
      const page = this.#reader.getFiles({ ...query, autoPaginate: false });
      const [files, next] = await unlessAborted(page, signal);
      // `startOffset` is inclusive.
      yield files.filter((file) => file.name !== startAfter).map(infoOf);
      query = next as object | null;
    }
  }

  async delete(keys: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    await eachInParallel(keys, async (key) => {
      await unlessAborted(this.#reader.file(key).delete({ ignoreNotFound: true }), signal);
    });
  }

  explain(error: unknown): Explanation {
    const { message } = error as ApiError;
    if (/default credentials/i.test(message)) {
      return { reason: `no Google Cloud credentials were found (${message})`, mayHaveHappened: false };
    }
    if (codeOf(error) === 404 && /bucket does not exist/i.test(message)) {
      return { reason: 'the bucket does not exist', mayHaveHappened: false };
    }
    const code = (error as { code?: unknown }).code;
    const name = typeof code === 'string' ? code : undefined;
    return explainVendorError({ status: codeOf(error), code: name, message });
  }

  async close(): Promise<void> {}
}

async function actingAs(account: string): Promise<AuthClient> {
  const sourceClient = await new GoogleAuth({
    scopes: 'https://www.googleapis.com/auth/cloud-platform',
  }).getClient();
  return new Impersonated({ sourceClient, targetPrincipal: account, targetScopes: [SCOPE], lifetime: 3_600 });
}

/**
 * The service account of a key. It signs requests itself (`useJWTAccessWithScope`), without asking for a token first.
 * @throws TesseraError INVALID_ARGUMENT
 */
function accountOf(keyAsJson: string): AuthClient {
  const { email, key, keyId } = serviceAccountKeyOf(keyAsJson);
  const client = new JWT({ email, key, keyId, scopes: [SCOPE] });
  client.useJWTAccessWithScope = true;
  return client;
}

function serviceAccountKeyOf(text: string) {
  const message =
    'GOOGLE_SERVICE_ACCOUNT_KEY is not the key of a service account: JSON with client_email and private_key, as Google issues it';
  try {
    const { client_email: email, private_key: key, private_key_id: keyId } = JSON.parse(text);
    createPrivateKey(key);
    if (typeof email === 'string') return { email, key, keyId };
  } catch {
    // The text must not appear in the error.
  }
  return fail('INVALID_ARGUMENT', { message });
}

function bodyOf({ headers }: IncomingMessage, stream: AsyncIterable<Uint8Array>): BodyInFlight {
  const range = /^bytes (\d+)-(\d+)\//.exec(headers['content-range'] ?? '');
  const offset = Number(range?.[1] ?? 0);
  const length = headers['content-length'] ?? headers['x-goog-stored-content-length'];
  const whole = length === undefined ? undefined : Number(length);
  const bytes = range === null ? whole : Number(range[2]) + 1 - offset;
  return { etag: String(headers['x-goog-generation']), offset, bytes, stream };
}

function infoOf({ name, metadata }: File): ObjectInfo {
  return {
    key: name,
    bytes: Number(metadata.size),
    etag: String(metadata.generation),
    modifiedAt: new Date(metadata.updated ?? 0),
  };
}

/** The SDK cannot be stopped: its request continues, but its result is ignored. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function codeOf(error: unknown): number | undefined {
  const code = Number((error as { code?: unknown }).code);
  return Number.isInteger(code) ? code : undefined;
}

/**
 * If a bucket, or an account to impersonate, does not exist, the status is 404 too; the message tells them
 * apart.
 */
function isNoSuchObject(error: unknown): boolean {
  return codeOf(error) === 404 && /no such object/i.test((error as Error).message);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
