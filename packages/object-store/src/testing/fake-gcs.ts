import { createHash, createVerify, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CRC32C } from '@google-cloud/storage';

interface Stored {
  readonly body: Buffer;
  readonly generation: number;
  readonly updated: Date;
}

interface Session {
  readonly name: string;
  readonly condition: string | null;
  parts: Buffer[];
}

type Objects = Map<string, Stored>;

/** A bucket that only one service account may use, which signs its requests itself. */
export interface GuardedBucket {
  readonly bucket: string;
  readonly account: string;
  readonly publicKey: KeyObject;
}

/**
 * The part of Google Cloud Storage's JSON API that its SDK uses for objects: media and multipart and resumable uploads,
 * generation conditions, ranges, checksums, paged listing, tokens that service accounts sign. Everything is in memory.
 */
export class FakeGcs implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: Error) => fail(response, 500, error.message));
  });
  readonly #buckets: ReadonlyMap<string, { readonly objects: Objects; readonly guard?: GuardedBucket }>;
  readonly #sessions = new Map<string, Session>();
  #generation = 1_000;

  constructor(...buckets: readonly (string | GuardedBucket)[]) {
    this.#buckets = new Map(
      buckets.map((one) =>
        typeof one === 'string'
          ? [one, { objects: new Map() }]
          : [one.bucket, { objects: new Map(), guard: one }],
      ),
    );
  }

  /** Returns the endpoint. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake');
    const body = await bodyOf(request);
    const [, upload, bucket = '', name] =
      /^(\/upload)?(?:\/storage\/v1)?\/b\/([^/]+)(?:\/o(?:\/(.+))?)?$/.exec(url.pathname) ?? [];
    const found = this.#buckets.get(bucket);
    if (found === undefined) return fail(response, 404, 'The specified bucket does not exist.');
    if (found.guard !== undefined && !isSignedBy(found.guard, request.headers.authorization))
      return fail(response, 403, `The caller does not have storage.objects access to ${bucket}.`);
    const place = { bucket, objects: found.objects };
    if (upload !== undefined) return this.#upload(request, response, url, body, place);
    if (name === undefined) return this.#list(response, url.searchParams, place);
    return this.#object(request, response, url, decodeURIComponent(name), place);
  }

  #object(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    name: string,
    { bucket, objects }: Place,
  ): undefined {
    const found = objects.get(name);
    if (found === undefined) return fail(response, 404, `No such object: ${bucket}/${name}`);
    if (request.method === 'DELETE') {
      objects.delete(name);
      response.writeHead(204).end();
    } else if (url.searchParams.get('alt') === 'media') {
      sendMedia(request, response, found);
    } else {
      json(response, 200, metadataOf(bucket, name, found));
    }
  }

  #upload(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    body: Buffer,
    place: Place,
  ): undefined {
    const { searchParams } = url;
    const condition = searchParams.get('ifGenerationMatch');
    const id = searchParams.get('upload_id');
    if (id !== null) return this.#resume(request, response, id, body, place);
    if (searchParams.get('uploadType') === 'resumable') {
      const name = searchParams.get('name') ?? (JSON.parse(body.toString()) as { name: string }).name;
      const session = String(++this.#generation);
      this.#sessions.set(session, { name, condition, parts: [] });
      const location = `http://${request.headers.host}${url.pathname}?uploadType=resumable&upload_id=${session}`;
      response.writeHead(200, { location }).end();
      return;
    }
    const { metadata, media } = multipart(request, body);
    this.#store(response, searchParams.get('name') ?? metadata.name ?? '', media, condition, place);
  }

  #resume(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    body: Buffer,
    place: Place,
  ): undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return fail(response, 404, 'no such upload');
    const [, from, total] =
      /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(request.headers['content-range'] ?? '') ?? [];
    const held = Buffer.concat(session.parts);
    if (from !== undefined && Number(from) !== held.length) return fail(response, 400, 'a gap');
    session.parts = [held, body];
    const bytes = held.length + body.length;
    if (total !== undefined && Number(total) !== bytes) {
      response.writeHead(308, bytes === 0 ? {} : { range: `bytes=0-${bytes - 1}` }).end();
      return;
    }
    this.#sessions.delete(id);
    this.#store(response, session.name, Buffer.concat(session.parts), session.condition, place);
  }

  #store(
    response: ServerResponse,
    name: string,
    body: Buffer,
    condition: string | null,
    { bucket, objects }: Place,
  ): undefined {
    const current = objects.get(name)?.generation ?? 0;
    if (condition !== null && Number(condition) !== current) {
      return fail(response, 412, 'At least one of the pre-conditions you specified did not hold.');
    }
    const stored = { body, generation: ++this.#generation, updated: new Date() };
    objects.set(name, stored);
    json(response, 200, metadataOf(bucket, name, stored));
  }

  #list(response: ServerResponse, query: URLSearchParams, { bucket, objects }: Place): undefined {
    const prefix = query.get('prefix') ?? '';
    const from = query.get('pageToken') ?? query.get('startOffset') ?? '';
    const limit = Number(query.get('maxResults') ?? 1_000);
    const names = [...objects.keys()]
      .filter((name) => name.startsWith(prefix) && Buffer.compare(Buffer.from(name), Buffer.from(from)) >= 0)
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const items = names.slice(0, limit).map((name) => metadataOf(bucket, name, objects.get(name)!));
    json(response, 200, { items, ...(names.length > limit && { nextPageToken: names[limit] }) });
  }
}

interface Place {
  readonly bucket: string;
  readonly objects: Objects;
}

/** Whether the request has a token that is valid now, of that service account and for Cloud Storage. */
function isSignedBy({ account, publicKey }: GuardedBucket, authorization = ''): boolean {
  const [head = '', claims = '', signature = ''] = authorization.replace(/^Bearer /, '').split('.');
  const signed = createVerify('RSA-SHA256').update(`${head}.${claims}`);
  if (!signed.verify(publicKey, signature, 'base64url')) return false;
  const { iss, sub, scope, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const nowS = Date.now() / 1_000;
  return iss === account && sub === account && /devstorage/.test(scope) && iat <= nowS + 60 && nowS < exp;
}

const metadataOf = (bucket: string, name: string, { body, generation, updated }: Stored) => ({
  kind: 'storage#object',
  name,
  bucket,
  generation: String(generation),
  size: String(body.length),
  updated: updated.toISOString(),
  ...checksums(body),
});

function checksums(body: Buffer) {
  const crc = new CRC32C();
  crc.update(body);
  return { crc32c: crc.toString(), md5Hash: createHash('md5').update(body).digest('base64') };
}

function sendMedia(
  request: IncomingMessage,
  response: ServerResponse,
  { body, generation }: Stored,
): undefined {
  const { crc32c: crc, md5Hash } = checksums(body);
  const headers = { 'x-goog-generation': String(generation), 'x-goog-hash': `crc32c=${crc},md5=${md5Hash}` };
  const [, start, end] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  if (start === undefined) {
    response.writeHead(200, { ...headers, 'content-length': body.length }).end(body);
    return;
  }
  if (Number(start) >= body.length) return fail(response, 416, 'The requested range cannot be satisfied.');
  const last = Math.min(end === '' ? body.length - 1 : Number(end), body.length - 1);
  const part = body.subarray(Number(start), last + 1);
  const range = { 'content-range': `bytes ${start}-${last}/${body.length}`, 'content-length': part.length };
  response.writeHead(206, { ...headers, ...range }).end(part);
}

function multipart(request: IncomingMessage, body: Buffer): { metadata: { name?: string }; media: Buffer } {
  const boundary = /boundary="?([^";]+)"?/.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
  const separator = Buffer.from(`--${boundary}`);
  const second = body.indexOf(separator, separator.length);
  const headEnd = (from: number) => body.indexOf('\r\n\r\n', from) + 4;
  const metadata = JSON.parse(body.subarray(headEnd(0), second).toString()) as { name?: string };
  const end = body.lastIndexOf(separator);
  return { metadata, media: body.subarray(headEnd(second), end - 2) };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function fail(response: ServerResponse, code: number, message: string): undefined {
  json(response, code, { error: { code, message, errors: [{ message, reason: 'fake' }] } });
}
