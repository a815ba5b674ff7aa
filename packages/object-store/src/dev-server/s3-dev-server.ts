import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { TesseraError } from '@tessera/common';
import { openLocalStore } from '../local/local-store.ts';
import type { ObjectStore } from '../object-store.ts';
import { listObjects } from './list-objects.ts';
import { MultipartUploads } from './multipart-uploads.ts';
import { answerObject } from './object-answers.ts';
import { putObject } from './put-object.ts';
import { receivedBytes } from './received-body.ts';
import { parseXml, S3Failure, xml } from './s3-failure.ts';
import { type S3Request, s3RequestOf } from './s3-request.ts';
import { accessDenied, type S3DevCredentials, type S3DevUser, S3Rights } from './s3-rights.ts';

export interface S3DevServerOptions {
  /** The directory of the objects, with one directory for each bucket. It is created if it does not exist. */
  readonly directory: string;
  /** The port; 0 means any free port. */
  readonly port: number;
  /** The access key id; random by default. */
  readonly credentials?: S3DevCredentials | undefined;
  /** Users besides the one of these credentials, for tests; none by default. */
  readonly users?: readonly S3DevUser[] | undefined;
}

const LOOPBACK = '127.0.0.1';
/** The names that S3 allows. No other name becomes a directory. */
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/**
 * The part of S3's protocol that engines need, over a directory of this machine: objects, ranges, listings, uploads in
 * parts, and truly conditional writes. It is for trials only: it listens on the loopback interface, and the access key id
 * is the only credential that it checks.
 */
export class S3DevServer {
  readonly credentials: S3DevCredentials;
  readonly #directory: string;
  readonly #staging: string;
  readonly #uploads: MultipartUploads;
  readonly #server: Server;
  readonly #rights: S3Rights;
  readonly #buckets = new Map<string, Promise<ObjectStore>>();

  private constructor({ directory, credentials, users = [] }: S3DevServerOptions) {
    this.credentials = credentials ?? {
      accessKeyId: randomBytes(10).toString('hex'),
      secretAccessKey: randomBytes(20).toString('hex'),
    };
    this.#rights = new S3Rights(this.credentials, users);
    this.#directory = join(directory, 'buckets');
    this.#staging = join(directory, 'uploads');
    this.#uploads = new MultipartUploads(this.#staging);
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** @throws TesseraError INVALID_ARGUMENT if the port cannot be used */
  static async start(options: S3DevServerOptions): Promise<S3DevServer> {
    const server = new S3DevServer(options);
    await mkdir(server.#directory, { recursive: true });
    await rm(server.#staging, { recursive: true, force: true });
    await mkdir(server.#staging, { recursive: true });
    server.#server.listen(options.port, LOOPBACK);
    await once(server.#server, 'listening').catch((error: Error) => {
      const message = `Cannot listen on ${LOOPBACK}:${options.port} for the object store: ${error.message}`;
      throw TesseraError.of('INVALID_ARGUMENT', { message });
    });
    return server;
  }

  get endpoint(): string {
    return `http://${LOOPBACK}:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const bucket of this.#buckets.values()) await bucket.then((store) => store.close());
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const request = s3RequestOf(message, this.#rights.accessKeyIds);
      this.#rights.check(request);
      await this.#route(request, response);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      const failure =
        error instanceof S3Failure ? error : new S3Failure('InternalError', (error as Error).message);
      const body = xml('Error', { Code: failure.code, Message: failure.message });
      const hasBody = message.method !== 'HEAD' && failure.status !== 304;
      // The rest of a refused body would be parsed as the next request.
      if (!message.complete) response.shouldKeepAlive = false;
      response.writeHead(failure.status, { 'content-type': 'application/xml' });
      response.end(hasBody ? body : undefined);
    }
  }

  async #route(request: S3Request, response: ServerResponse): Promise<void> {
    const { bucket, key } = request;
    if (bucket === undefined) throw notImplemented(request);
    if (key === undefined) return this.#bucket(bucket, request, response);
    const store = await this.#store(bucket);
    const uploadId = request.query.get('uploadId');
    if (uploadId !== null) return this.#upload(uploadId, { store, bucket, key }, request, response);
    switch (request.method) {
      case 'GET':
      case 'HEAD':
        // Users who may not list a bucket do not learn which objects it has.
        if ((await store.head(key)) === undefined && !this.#rights.may(request, 's3:ListBucket'))
          throw accessDenied('s3:ListBucket');
        return answerObject(store, key, request, response);
      case 'PUT': {
        if (request.header('x-amz-copy-source') !== undefined) throw notImplemented(request);
        const etag = await putObject(store, key, request, this.#staging);
        return void response.writeHead(200, { etag: `"${etag}"` }).end();
      }
      case 'DELETE':
        await store.delete([key]);
        return void response.writeHead(204).end();
      case 'POST': {
        if (!request.query.has('uploads')) throw notImplemented(request);
        const UploadId = await this.#uploads.begin();
        return sendXml(
          response,
          xml('InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId }),
        );
      }
      default:
        throw notImplemented(request);
    }
  }

  async #upload(
    id: string,
    { store, bucket, key }: { store: ObjectStore; bucket: string; key: string },
    request: S3Request,
    response: ServerResponse,
  ): Promise<void> {
    switch (request.method) {
      case 'PUT': {
        const etag = await this.#uploads.put(id, Number(request.query.get('partNumber')), request.body());
        return void response.writeHead(200, { etag: `"${etag}"` }).end();
      }
      case 'POST': {
        if (request.header('if-none-match') !== undefined || request.header('if-match') !== undefined) {
          throw notImplemented(request);
        }
        const body = String(await receivedBytes(request.body()));
        const { Part: parts = [] } = parseXml<{ Part?: { PartNumber: string }[] }>(
          'CompleteMultipartUpload',
          body,
        );
        const numbers = parts.map(({ PartNumber }) => Number(PartNumber));
        await this.#uploads.complete(id, numbers, store, key);
        const ETag = `"${(await store.head(key))?.etag ?? ''}"`;
        return sendXml(response, xml('CompleteMultipartUploadResult', { Bucket: bucket, Key: key, ETag }));
      }
      case 'DELETE':
        await this.#uploads.abort(id);
        return void response.writeHead(204).end();
      default:
        throw notImplemented(request);
    }
  }

  async #bucket(bucket: string, request: S3Request, response: ServerResponse): Promise<void> {
    const { method, query } = request;
    if (method === 'PUT' && query.size === 0) {
      if (!BUCKET_NAME.test(bucket)) throw new S3Failure('InvalidArgument', 'Not a name for a bucket');
      await mkdir(join(this.#directory, bucket)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        throw new S3Failure('BucketAlreadyOwnedByYou', 'You own this bucket already');
      });
      return void response.writeHead(200, { location: `/${bucket}` }).end();
    }
    const store = await this.#store(bucket);
    if (method === 'HEAD') return void response.writeHead(200).end();
    if (method === 'GET' && query.get('list-type') === '2') {
      return sendXml(response, await listObjects(store, bucket, query));
    }
    if (method === 'POST' && query.has('delete')) {
      const body = String(await receivedBytes(request.body()));
      const { Object: objects = [] } = parseXml<{ Object?: { Key: string }[] }>('Delete', body);
      if (!this.#rights.may(request, 's3:DeleteObject')) {
        const { code: Code, message: Message } = accessDenied('s3:DeleteObject');
        return sendXml(
          response,
          xml('DeleteResult', { Error: objects.map(({ Key }) => ({ Key, Code, Message })) }),
        );
      }
      await store.delete(objects.map(({ Key }) => Key));
      return sendXml(response, xml('DeleteResult', { Deleted: objects.map(({ Key }) => ({ Key })) }));
    }
    throw notImplemented(request);
  }

  /** @throws S3Failure NoSuchBucket */
  async #store(bucket: string): Promise<ObjectStore> {
    const path = join(this.#directory, bucket);
    const isThere = BUCKET_NAME.test(bucket) && (await stat(path).catch(() => undefined))?.isDirectory();
    if (isThere !== true)
      throw new S3Failure('NoSuchBucket', `The specified bucket does not exist: ${bucket}`);
    let store = this.#buckets.get(bucket);
    if (store === undefined) {
      store = openLocalStore(path, { fsync: false });
      this.#buckets.set(bucket, store);
    }
    return store;
  }
}

const notImplemented = ({ method, query }: S3Request) =>
  new S3Failure('NotImplemented', `${method} ${[...query.keys()].join(' ')} is no part of this server`);

function sendXml(response: ServerResponse, document: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(document);
}
