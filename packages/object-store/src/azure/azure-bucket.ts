import {
  type BlobDownloadResponseParsed,
  type BlobRequestConditions,
  type ContainerClient,
  RestError,
} from '@azure/storage-blob';
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
import type { AzureService } from './azure-access.ts';

export interface AzureBucketOptions {
  /** The container. */
  readonly bucket: string;
  /** The URL scheme in messages. */
  readonly scheme: string;
  readonly service: AzureService;
  /** The attempts at a write, including the first; by default, those of the SDK. */
  readonly uploadTries?: number | undefined;
}

const READ_TRIES = 10;
const RETRY = { retryDelayInMs: 200, maxRetryDelayInMs: 20_000, tryTimeoutInMs: 120_000 };
const BLOCK_BYTES = 8 << 20;
const BLOCKS_AT_ONCE = 4;
const PAGE = 5_000;

/** A container of Azure Blob Storage. */
export class AzureBucket implements BucketClient {
  readonly url: string;
  /** The limit of a batch in the service. */
  readonly deletedAtOnce = 256;
  readonly #reader: ContainerClient;
  readonly #writer: ContainerClient;

  constructor({ bucket, scheme, service, uploadTries }: AzureBucketOptions) {
    const client = (maxTries: number | undefined) =>
      service({ retryOptions: { ...RETRY, ...(maxTries !== undefined && { maxTries }) } }).getContainerClient(
        bucket,
      );
    this.#reader = client(READ_TRIES);
    this.#writer = client(uploadTries);
    this.url = `${scheme}${this.#reader.accountName}/${bucket}`;
  }

  async create(): Promise<void> {
    await this.#reader.createIfNotExists();
  }

  async read(key: string, { range, signal }: ReadRequest): Promise<BodyInFlight | undefined> {
    const count = range === undefined ? undefined : range.end - range.start;
    try {
      return bodyOf(
        await this.#reader.getBlobClient(key).download(range?.start, count, abortable(signal)),
        range,
      );
    } catch (error) {
      if (statusOf(error) === 416)
        return { etag: '', offset: range?.start ?? 0, bytes: 0, stream: nothing() };
      if (isNoSuchBlob(error)) return undefined;
      throw error;
    }
  }

  async head(key: string, signal: AbortSignal | undefined): Promise<ObjectInfo | undefined> {
    try {
      const found = await this.#reader.getBlobClient(key).getProperties(abortable(signal));
      return infoOf(key, found);
    } catch (error) {
      if (isNoSuchBlob(error)) return undefined;
      throw error;
    }
  }

  async write(
    key: string,
    body: Uint8Array,
    condition: WriteCondition | undefined,
    signal: AbortSignal | undefined,
  ): Promise<'written' | 'refused'> {
    const options = { ...abortable(signal), conditions: conditionsOf(condition) };
    try {
      await this.#writer.getBlockBlobClient(key).upload(body, body.byteLength, options);
      return 'written';
    } catch (error) {
      const refused = statusOf(error) === 412 || (error as RestError).code === 'BlobAlreadyExists';
      if (refused && condition !== undefined) return 'refused';
      if (isNoSuchBlob(error) && condition !== undefined) return 'refused';
      throw error;
    }
  }

  async writeFile(key: string, path: string, signal: AbortSignal | undefined): Promise<void> {
    await this.#writer.getBlockBlobClient(key).uploadFile(path, {
      ...abortable(signal),
      blockSize: BLOCK_BYTES,
      maxSingleShotSize: BLOCK_BYTES,
      concurrency: BLOCKS_AT_ONCE,
    });
  }

  async *listPages(
    prefix: string,
    startAfter: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly ObjectInfo[]> {
    const options = {
      ...abortable(signal),
      prefix,
      ...(startAfter?.startsWith(prefix) && { startFrom: startAfter }),
    };
    for await (const page of this.#reader.listBlobsFlat(options).byPage({ maxPageSize: PAGE })) {
      const infos = page.segment.blobItems.map((blob) => infoOf(blob.name, blob.properties));
      // The start is inclusive, and not every version of the service supports it.
      yield startAfter === undefined ? infos : infos.filter(({ key }) => key > startAfter);
    }
  }

  async delete(keys: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    // The URL contains the shared access signature, which may permit to delete blobs but no batch of requests.
    if (new URL(this.#reader.url).search !== '')
      return eachInParallel(keys, async (key) => {
        await this.#reader.getBlobClient(key).deleteIfExists(abortable(signal));
      });
    const blobs = keys.map((key) => this.#reader.getBlobClient(key));
    const { subResponses } = await this.#reader.getBlobBatchClient().deleteBlobs(blobs, abortable(signal));
    const failure = subResponses.find(({ status }) => status >= 300 && status !== 404);
    if (failure !== undefined) {
      const { status, errorCode = 'unknown error', statusMessage } = failure;
      throw new RestError(`a blob was not deleted: ${statusMessage}`, {
        statusCode: status,
        code: errorCode,
      });
    }
  }

  explain(error: unknown): Explanation {
    const { code, message, name } = error as RestError;
    if (code === 'ContainerNotFound')
      return { reason: 'the container does not exist', mayHaveHappened: false };
    if (name === 'CredentialUnavailableError' || name === 'AggregateAuthenticationError') {
      return { reason: `no Azure identity was found (${message.split('\n')[0]})`, mayHaveHappened: false };
    }
    return explainVendorError({ status: statusOf(error), code, message });
  }

  async close(): Promise<void> {}
}

function bodyOf(answer: BlobDownloadResponseParsed, range: ReadRequest['range']): BodyInFlight {
  return {
    etag: bare(answer.etag),
    offset: range?.start ?? 0,
    bytes: answer.contentLength ?? 0,
    stream: answer.readableStreamBody as AsyncIterable<Buffer>,
  };
}

function infoOf(
  key: string,
  found: { contentLength?: number | undefined; etag?: string | undefined; lastModified?: Date | undefined },
): ObjectInfo {
  return {
    key,
    bytes: found.contentLength ?? 0,
    etag: bare(found.etag),
    modifiedAt: found.lastModified ?? new Date(0),
  };
}

function conditionsOf(condition: WriteCondition | undefined): BlobRequestConditions {
  if (condition === undefined) return {};
  return 'absent' in condition ? { ifNoneMatch: '*' } : { ifMatch: `"${condition.etag}"` };
}

function isNoSuchBlob(error: unknown): boolean {
  return statusOf(error) === 404 && (error as RestError).code !== 'ContainerNotFound';
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof RestError ? error.statusCode : undefined;

const bare = (etag: string | undefined): string => (etag ?? '').replace(/^"(.*)"$/, '$1');

const abortable = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal });

async function* nothing(): AsyncGenerator<Uint8Array> {}
