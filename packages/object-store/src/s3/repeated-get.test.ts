import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { readBody } from '../bucket/bucket-client.ts';
import { S3Bucket } from './s3-bucket.ts';

const BODY = 'bytes of an object';

interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A bucket on a server that answers with `BODY` or a range of it, or as `answerTo` says. */
async function bucketOf(answerTo: (request: number) => Answer | undefined = () => undefined) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const part: Answer =
      first === undefined
        ? { status: 200, body: BODY }
        : {
            status: 206,
            body: BODY.slice(Number(first), Number(last) + 1),
            headers: { 'content-range': `bytes ${first}-${last}/${BODY.length}` },
          };
    const { status, body, headers } = answerTo(requests.length) ?? part;
    response.writeHead(status, { etag: '"tag"', ...headers }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: 'token' };
  const bucket = new S3Bucket({ bucket: 'lake', scheme: 's3://', endpoint, credentials });
  onTestFinished(async () => {
    await bucket.close();
    server.closeAllConnections();
    server.close();
  });
  const read = async (key: string, start?: number, end = 0) => {
    const found = await readBody(bucket, key, start === undefined ? {} : { range: { start, end } });
    return found && { ...found, body: Buffer.from(found.body).toString() };
  };
  return { requests, read };
}

/** The SDK numbers its requests. */
const isOfSdk = ({ headers }: IncomingMessage) => headers['amz-sdk-invocation-id'] !== undefined;

it('repeats the first request of the SDK for other keys and ranges, signed', async () => {
  const { requests, read } = await bucketOf();
  expect(await read('a', 0, 5)).toMatchObject({ body: 'bytes', offset: 0 });
  expect(await read("a folder/it's (b+c)/ü.parquet", 6, 8)).toEqual({ body: 'of', offset: 6, etag: 'tag' });
  expect(requests.map(isOfSdk)).toEqual([true, false]);
  const { url, headers } = requests[1]!;
  expect(url).toBe('/lake/a%20folder/it%27s%20%28b%2Bc%29/%C3%BC.parquet?x-id=GetObject');
  expect(headers).toMatchObject({ range: 'bytes=6-7', 'x-amz-security-token': 'token' });
  const signed = /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/[^/]+\/s3\/aws4_request, SignedHeaders=[^,]*range/;
  expect(headers.authorization).toMatch(signed);
  expect(headers.authorization).not.toBe(requests[0]!.headers.authorization);
});

it('repeats it for whole objects and ranges alike', async () => {
  const { requests, read } = await bucketOf();
  for (const range of [[0, 5], [], [6, 8], []])
    expect((await read('a', ...range))?.body).toBe(BODY.slice(range[0], range[1]));
  expect(requests.map(isOfSdk)).toEqual([true, false, false, false]);
  expect(requests.map(({ headers }) => headers.range)).toEqual([
    'bytes=0-4',
    undefined,
    'bytes=6-7',
    undefined,
  ]);
  const whole = await bucketOf();
  await whole.read('a');
  await whole.read('b', 6, 8);
  expect(whole.requests.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=6-7']);
});

it('knows that an object is missing', async () => {
  const answer = { status: 404, body: '<Error><Code>NoSuchKey</Code><Key>b</Key></Error>' };
  const { requests, read } = await bucketOf((request) => (request === 1 ? undefined : answer));
  await read('a');
  expect(await read('b')).toBeUndefined();
  expect(await read('b', 0, 5)).toBeUndefined();
  expect(requests.map(isOfSdk)).toEqual([true, false, false]);
});

it.each([
  { status: 503 },
  { status: 404, body: '' },
  { status: 404, body: '<Error><Code>NoSuchBucket</Code></Error>' },
])('leaves requests that the server refuses to the SDK: $status $body', async (refusal) => {
  const { requests, read } = await bucketOf((request) => (request === 2 ? refusal : undefined));
  expect(await read('a', 0, 5)).toMatchObject({ body: 'bytes' });
  expect(await read('a', 0, 5)).toMatchObject({ body: 'bytes' });
  expect(requests.map(isOfSdk)).toEqual([true, false, true]);
});

it('reads a whole object again that has another checksum', async () => {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(BODY));
  const headers = { 'x-amz-checksum-crc32': checksum.toString('base64') };
  const { requests, read } = await bucketOf((request) =>
    request === 1 ? undefined : { status: 200, body: request === 2 ? BODY.toUpperCase() : BODY, headers },
  );
  await read('a');
  expect(await read('a')).toMatchObject({ body: BODY });
  expect(requests.map(isOfSdk)).toEqual([true, false, false]);
});
