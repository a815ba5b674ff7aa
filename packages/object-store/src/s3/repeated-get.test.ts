import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { readBody } from '../bucket/bucket-client.ts';
import { S3Bucket } from './s3-bucket.ts';

const BODY = 'bytes of an object';

/** A bucket on a server that answers with a range of `BODY`, or with the status that `statusOf` returns. */
async function bucketOf(statusOf: (request: number) => number) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const status = statusOf(requests.length);
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')!;
    const range = `bytes ${first}-${last}/${BODY.length}`;
    response.writeHead(status, { etag: '"tag"', ...(status === 206 && { 'content-range': range }) });
    response.end(status === 206 ? BODY.slice(Number(first), Number(last) + 1) : undefined);
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
  const read = async (key: string, start: number, end: number) => {
    const found = await readBody(bucket, key, { range: { start, end } });
    return { ...found, body: Buffer.from(found!.body).toString() };
  };
  return { requests, read };
}

/** The SDK numbers its requests. */
const isOfSdk = ({ headers }: IncomingMessage) => headers['amz-sdk-invocation-id'] !== undefined;

it('repeats the first request of the SDK for other keys and ranges, signed', async () => {
  const { requests, read } = await bucketOf(() => 206);
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

it('leaves requests that the server refuses to the SDK', async () => {
  const { requests, read } = await bucketOf((request) => (request === 2 ? 503 : 206));
  expect(await read('a', 0, 5)).toMatchObject({ body: 'bytes' });
  expect(await read('a', 0, 5)).toMatchObject({ body: 'bytes' });
  expect(requests.map(isOfSdk)).toEqual([true, false, true]);
});
