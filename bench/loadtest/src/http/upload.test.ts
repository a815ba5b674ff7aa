import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { upload } from './upload.ts';

/** A file that takes more than one read. */
const FILE = Buffer.alloc(2_500_000, 'line of text\n');
const SQL = "SELECT count(*) FROM READ_CSV('upload://data')";

let directory: string;
let path: string;
let server: Server;
let url: string;
let received: FormData;
let encodings: number;
let status: number;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loadtest-upload-'));
  path = join(directory, 'file');
  await writeFile(path, FILE);
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    encodings = body.toString('latin1').split('\r\nContent-Encoding: zstd\r\n').length - 1;
    received = await new Response(body, {
      headers: { 'content-type': request.headers['content-type']! },
    }).formData();
    response.writeHead(status).end('an answer');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  status = 200;
});
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

test('sends the statement and the whole file as parts, and answers with the body', async () => {
  let sent = false;
  const answer = await upload(url, SQL, { path }, { onSent: () => (sent = true) });
  expect(answer.text).toBe('an answer');
  expect(received.get('sql')).toBe(SQL);
  expect(Buffer.from(await (received.get('data') as File).arrayBuffer()).equals(FILE)).toBe(true);
  expect(encodings).toBe(0);
  expect(sent).toBe(true);
});

test('declares the coding of the part', async () => {
  await upload(url, SQL, { path, contentEncoding: 'zstd' });
  expect(encodings).toBe(1);
});

test('spreads the body over the given time', async () => {
  const { milliseconds } = await upload(url, SQL, { path }, { spreadOverMs: 300 });
  // A timer of Node may fire a millisecond early.
  expect(milliseconds).toBeGreaterThanOrEqual(290);
});

test('fails with the status and the body where the answer is not 200', async () => {
  status = 400;
  await expect(upload(url, SQL, { path })).rejects.toThrow('HTTP 400: an answer');
});
