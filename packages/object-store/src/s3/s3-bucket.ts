import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import {
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { pause } from '@tessera/common';
import type {
  BodyInFlight,
  BucketClient,
  Explanation,
  ReadRequest,
  WriteCondition,
} from '../bucket/bucket-client.ts';
import type { ObjectInfo } from '../object-store.ts';
import { RepeatedGet } from './repeated-get.ts';
import { createS3Client, type S3Access } from './s3-client.ts';
import { explainS3Error, isS3Error } from './s3-error.ts';

export interface S3BucketOptions extends S3Access {
  readonly bucket: string;
  /** The URL scheme in messages. */
  readonly scheme: string;
  /** The attempts at a write, including the first; by default, those of the SDK. */
  readonly uploadTries?: number | undefined;
}

/** Reads can be retried safely: if 30 % of requests fail, 10 attempts fail once in 170,000 reads. */
const READ_TRIES = 10;
const CONFLICT_TRIES = 20;
const CONFLICT_WAIT_MS = 50;
const PART_BYTES = 8 << 20;
const PARTS_AT_ONCE = 4;
const MOST_PARTS = 10_000;

/** A bucket of S3, or of a server with its protocol. */
export class S3Bucket implements BucketClient {
  readonly url: string;
  readonly deletedAtOnce = 1_000;
  readonly #bucket: string;
  readonly #reader: S3Client;
  readonly #repeatedGet: RepeatedGet;
  readonly #options: S3BucketOptions;
  #openWriter: S3Client | undefined;
  /**
   * Ceph compares If-Match with the etag without its quotes, all others with them. The first response shows
   * which is the case.
   */
  #quotedEtags = true;

  constructor(options: S3BucketOptions) {
    this.#bucket = options.bucket;
    this.url = `${options.scheme}${options.bucket}`;
    this.#reader = createS3Client(options, READ_TRIES);
    this.#repeatedGet = new RepeatedGet(this.#reader);
    this.#options = options;
  }

  /** Most buckets outside the managed store are only read. */
  get #writer(): S3Client {
    this.#openWriter ??= createS3Client(this.#options, this.#options.uploadTries);
    return this.#openWriter;
  }

  /** Creates the bucket unless it exists. Meant for self-hosted servers. */
  async create(): Promise<void> {
    try {
      await this.#reader.send(new CreateBucketCommand({ Bucket: this.#bucket }));
    } catch (error) {
      if (isS3Error(error, 'BucketAlreadyOwnedByYou', 'BucketAlreadyExists')) return;
      // A user who may not create buckets may still use one that exists.
      await this.#reader.send(new HeadBucketCommand({ Bucket: this.#bucket })).catch(() => {
        throw error;
      });
    }
  }

  async read(key: string, request: ReadRequest): Promise<BodyInFlight | undefined> {
    const repeated = await this.#repeatedGet.read(key, request);
    if (repeated === 'absent') return undefined;
    if (repeated !== undefined) {
      const { body, headers } = repeated;
      const length = headers['content-length'];
      return bodyOf({
        Body: body,
        ContentLength: length === undefined ? undefined : Number(length),
        ContentRange: headers['content-range'],
        ETag: headers.etag,
      });
    }
    const { range, signal } = request;
    const command = new GetObjectCommand({
      Bucket: this.#bucket,
      Key: key,
      ...(range !== undefined && { Range: `bytes=${range.start}-${range.end - 1}` }),
    });
    try {
      return bodyOf(await this.#reader.send(command, abortable(signal)));
    } catch (error) {
      if (isS3Error(error, 'NoSuchKey', 'NotFound')) return undefined;
      if (isS3Error(error, 'InvalidRange')) {
        return { etag: '', offset: range?.start ?? 0, bytes: 0, stream: nothing() };
      }
      throw error;
    }
  }

  async head(key: string, signal: AbortSignal | undefined): Promise<ObjectInfo | undefined> {
    try {
      const found = await this.#reader.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: key }),
        abortable(signal),
      );
      return infoOf(key, { Size: found.ContentLength, ETag: found.ETag, LastModified: found.LastModified });
    } catch (error) {
      if (isS3Error(error, 'NotFound', 'NoSuchKey')) return undefined;
      throw error;
    }
  }

  async write(
    key: string,
    body: Uint8Array,
    condition: WriteCondition | undefined,
    signal: AbortSignal | undefined,
  ): Promise<'written' | 'refused'> {
    const result = await this.#put(key, body, condition, signal);
    if (result === 'written' || condition === undefined || !('etag' in condition)) return result;
    // Refused although the etag is the same: then the server expects it in the other notation.
    if ((await this.head(key, signal))?.etag !== condition.etag) return 'refused';
    this.#quotedEtags = !this.#quotedEtags;
    return this.#put(key, body, condition, signal);
  }

  async #put(
    key: string,
    body: Uint8Array,
    condition: WriteCondition | undefined,
    signal: AbortSignal | undefined,
  ): Promise<'written' | 'refused'> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: key,
      Body: body,
      ContentLength: body.byteLength,
      ...this.#headersOf(condition),
    });
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#writer.send(command, abortable(signal));
        return 'written';
      } catch (error) {
        if (condition === undefined) throw error;
        if (isS3Error(error, 'PreconditionFailed')) return 'refused';
        if ('etag' in condition && isS3Error(error, 'NoSuchKey')) return 'refused';
        if (
          !isS3Error(error, 'ConditionalRequestConflict', 'OperationAborted') ||
          attempt === CONFLICT_TRIES
        ) {
          throw error;
        }
        await pause(CONFLICT_WAIT_MS * attempt * Math.random());
        signal?.throwIfAborted();
      }
    }
  }

  async writeFile(key: string, path: string, signal: AbortSignal | undefined): Promise<void> {
    const { size } = await stat(path);
    if (size <= PART_BYTES) {
      await this.write(key, await readFile(path), undefined, signal);
      return;
    }
    const body = createReadStream(path, { highWaterMark: 1 << 20 });
    const upload = new Upload({
      client: this.#writer,
      params: { Bucket: this.#bucket, Key: key, Body: body },
      partSize: Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS)),
      queueSize: PARTS_AT_ONCE,
    });
    const abort = () => void upload.abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await upload.done();
    } finally {
      signal?.removeEventListener('abort', abort);
      body.destroy();
    }
  }

  async *listPages(
    prefix: string,
    startAfter: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly ObjectInfo[]> {
    const request = {
      Bucket: this.#bucket,
      Prefix: prefix,
      ...(startAfter !== undefined && { StartAfter: startAfter }),
    };
    for await (const page of paginateListObjectsV2({ client: this.#reader }, request, abortable(signal))) {
      yield (page.Contents ?? []).map((object) => infoOf(object.Key ?? '', object));
    }
  }

  async delete(keys: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const { Errors: failures = [] } = await this.#reader.send(
      new DeleteObjectsCommand({
        Bucket: this.#bucket,
        Delete: { Objects: keys.map((key) => ({ Key: key })), Quiet: true },
      }),
      abortable(signal),
    );
    const failure = failures.find((one) => one.Code !== 'NoSuchKey');
    if (failure !== undefined) {
      throw Object.assign(
        new Error(`${failures.length} objects were not deleted: ${failure.Message ?? ''}`),
        {
          name: failure.Code ?? 'unknown error',
          $metadata: { httpStatusCode: failure.Code === 'AccessDenied' ? 403 : 500 },
        },
      );
    }
  }

  explain(error: unknown): Explanation {
    return explainS3Error(error);
  }

  async close(): Promise<void> {
    this.#reader.destroy();
    this.#openWriter?.destroy();
  }

  #headersOf(condition: WriteCondition | undefined) {
    if (condition === undefined) return {};
    if ('absent' in condition) return { IfNoneMatch: '*' };
    return { IfMatch: this.#quotedEtags ? `"${condition.etag}"` : condition.etag };
  }
}

type Received = Pick<GetObjectCommandOutput, 'Body' | 'ContentRange' | 'ETag'> & {
  readonly ContentLength?: number | undefined;
};

function bodyOf({ Body, ContentLength, ContentRange, ETag }: Received): BodyInFlight {
  const range = /^bytes (\d+)-(\d+)\//.exec(ContentRange ?? '');
  const offset = Number(range?.[1] ?? 0);
  const bytes = range === null ? ContentLength : Number(range[2]) + 1 - offset;
  const stream = Body as AsyncIterable<Uint8Array>;
  // Node's HTTP parser makes a copy for each chunk.
  return { etag: bare(ETag), offset, bytes, stream, ownsChunks: true };
}

function infoOf(
  key: string,
  found: { Size?: number | undefined; ETag?: string | undefined; LastModified?: Date | undefined },
): ObjectInfo {
  return {
    key,
    bytes: found.Size ?? 0,
    etag: bare(found.ETag),
    modifiedAt: found.LastModified ?? new Date(0),
  };
}

const bare = (etag: string | undefined): string => (etag ?? '').replace(/^"(.*)"$/, '$1');

const abortable = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal });

async function* nothing(): AsyncGenerator<Uint8Array> {}
