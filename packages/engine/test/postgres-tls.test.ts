import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Authority } from './certificates.ts';
import { int32, messageText, query, RawClient, startup } from './postgres-client.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

let directory: string;
let authority: Authority;
let node: TesseraProcess;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-postgres-tls-'));
  authority = new Authority(directory);
  const { cert, key } = authority.issue('node');
  node = await startTessera({ args: ['--postgres-port', '0', '--tls-cert', cert, '--tls-key', key] });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const SSL_REQUEST = Buffer.concat([int32(8), int32(80877103)]);

/** Starts TLS on a connection, naming these ALPN protocols. */
function encrypted(client: RawClient, ALPNProtocols: string[] | undefined): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const { socket } = client;
    socket.removeAllListeners('data');
    const ca = authority.certificate;
    const secured = connect(
      { socket, ca, servername: 'localhost', ...(ALPNProtocols && { ALPNProtocols }) },
      () => resolve(secured),
    );
    secured.on('error', reject);
  });
}

async function answer(socket: TLSSocket): Promise<string> {
  using client = new RawClient(socket);
  client.send(startup({ user: 'tessera' }));
  await client.until('Z');
  return (await client.ask(query('SELECT 42'))).find((message) => message.startsWith('D')) ?? '';
}

it('a client asks for TLS, and gets it', async () => {
  using client = new RawClient(node.postgres);
  client.send(SSL_REQUEST);
  expect((await client.bytes(1)).toString()).toBe('S');
  expect(await answer(await encrypted(client, undefined))).toBe('D 42');
});

it('a client begins with TLS', async () => {
  using client = new RawClient(node.postgres);
  expect(await answer(await encrypted(client, ['postgresql']))).toBe('D 42');
});

it('a client that begins with TLS for another protocol is refused', async () => {
  using client = new RawClient(node.postgres);
  await expect(encrypted(client, ['http/1.1'])).rejects.toThrow();
});

it('plain bytes after the request for TLS are never taken for encrypted ones', async () => {
  using client = new RawClient(node.postgres);
  client.send(SSL_REQUEST, startup({ user: 'tessera' }));
  expect((await client.until('Z')).map(messageText)).toEqual([
    expect.stringMatching(/^E FATAL 08P01 Unencrypted/),
  ]);
});

it('a client that does not ask for TLS is served without it', async () => {
  using client = await RawClient.open(node.postgres);
  expect(await client.ask(query('SELECT 42'))).toContain('D 42');
});
