import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { FETCH_LIMITS, fetchDocument } from './fetch-document.ts';

const directory = mkdtempSync(join(tmpdir(), 'tessera-auth-'));
const subject = ['-subj', '/CN=provider', '-addext', 'subjectAltName=IP:127.0.0.1'];
const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
execFileSync(
  'openssl',
  ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files],
  {
    cwd: directory,
    stdio: 'pipe',
  },
);
const key = readFileSync(join(directory, 'key.pem'));
const cert = readFileSync(join(directory, 'cert.pem'));
rmSync(directory, { recursive: true });

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const secure = async (answer: RequestListener) =>
  `https://${await listening(createServer({ key, cert }, answer))}/`;
const open = async (answer: RequestListener) => `http://${await listening(createHttpServer(answer))}/`;

function get(url: string, ca?: Buffer) {
  const agent = new Agent({ pipelining: 0, connect: ca === undefined ? {} : { ca } });
  onTestFinished(() => agent.destroy());
  const { signal } = new AbortController();
  return fetchDocument(new URL(url), { agent, limits: { ...FETCH_LIMITS, maxBytes: 100 }, signal });
}

it('fetches over TLS from servers with a certificate of a known authority', async () => {
  const url = await secure((_, response) => response.end('{"a":1}'));
  expect(await get(url, cert)).toEqual({ a: 1 });
  await expect(get(url)).rejects.toThrow(`${url}: DEPTH_ZERO_SELF_SIGNED_CERT`);
});

it('follows no redirect from https to http', async () => {
  const target = await open(() => expect.unreachable());
  const url = await secure((_, response) => response.writeHead(302, { location: target }).end());
  await expect(get(url, cert)).rejects.toThrow('it redirects from https to http');
});

it('follows a redirect from http to https', async () => {
  const target = await secure((_, response) => response.end('{"a":1}'));
  const url = await open((_, response) => response.writeHead(302, { location: target }).end());
  expect(await get(url, cert)).toEqual({ a: 1 });
});

it('stops at the limit, however long the response is', async () => {
  let stopped = false;
  const url = await open((_, response) => {
    const more = () => response.write(' '.repeat(1000)) && setImmediate(more);
    response.on('drain', more).on('close', () => {
      stopped = true;
    });
    more();
  });
  await expect(get(url)).rejects.toThrow('its answer is longer than 100 bytes');
  await expect.poll(() => stopped, { timeout: 20_000 }).toBe(true);
});

it('names the URL without its query string in errors', async () => {
  const url = await open((_, response) => response.writeHead(403).end());
  await expect(get(`${url}x?secret=1`)).rejects.toThrow(`${url}x: the server answered 403`);
});
