import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { disabledAuthenticator } from '@tessera/auth';
import { createLogging } from '@tessera/common';
import { Coordinator } from '@tessera/coordinator';
import { type Kernel, startKernel } from '@tessera/kernel';
import { ExternalSources } from '@tessera/object-store';
import { createPostgresServer, type PostgresLimits, type PostgresServer } from '@tessera/postgres-api';
import { kernelBootstrap } from '@tessera/sql';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { messageText, query, RawClient, startup } from './postgres-client.ts';

const directory = mkdtempSync(join(tmpdir(), 'tessera-postgres-limits-'));
const logging = { level: 'error', format: 'json', components: [], sinks: [] } as const;
const log = createLogging(logging).logger('postgres');
const external = new ExternalSources({ directories: [], urlPrefixes: [] });
let kernel: Kernel;
let coordinator: Coordinator;
beforeAll(async () => {
  kernel = await startKernel({
    directory: join(directory, 'kernel'),
    readableDirectories: [directory],
    memoryLimitBytes: 256 << 20,
    threads: 1,
    bootstrap: kernelBootstrap,
    log,
  });
  coordinator = new Coordinator({ kernel, external, engineId: 'limits', checksPrivileges: false });
});
afterAll(async () => {
  await coordinator.close();
  await kernel.close();
  await external.close();
  rmSync(directory, { recursive: true, force: true });
});

async function serve(limits: Partial<PostgresLimits>): Promise<{ server: PostgresServer; address: string }> {
  const requestRoot = join(directory, 'requests');
  const authenticator = disabledAuthenticator();
  const server = createPostgresServer({ coordinator, authenticator, requestRoot, log, limits });
  onTestFinished(() => server.close());
  return { server, address: await server.listen({ host: '127.0.0.1', port: 0 }) };
}

it('at most the limit of connections is accepted, and closing one makes room', async () => {
  const { server, address } = await serve({ maxConnections: 2 });
  using first = await RawClient.open(address);
  using _second = await RawClient.open(address);
  using third = new RawClient(address);
  third.send(startup({ user: 'tessera' }));
  expect((await third.until('Z')).map(messageText)).toEqual([expect.stringMatching(/^E FATAL 53300/)]);
  first.socket.destroy();
  await expect.poll(() => server.connections).toBe(1);
  using fourth = await RawClient.open(address);
  expect(await fourth.ask(query('SELECT 42'))).toContain('D 42');
});

it('silent clients do not block others, however many they are', async () => {
  const { server, address } = await serve({ maxConnections: 2 });
  const silent = Array.from({ length: 250 }, () => new RawClient(address));
  onTestFinished(() => {
    for (const client of silent) client.socket.destroy();
  });
  const first = await RawClient.open(address);
  await Promise.all(silent.slice(0, 100).map((client) => client.closed()));
  await expect.poll(() => server.connections).toBeLessThan(150);
  using second = await RawClient.open(address);
  expect(await first.ask(query('SELECT 42'))).toContain('D 42');
  expect(await second.ask(query('SELECT 42'))).toContain('D 42');
  first.socket.destroy();
});

it('a client that sends no startup message is disconnected', async () => {
  const { server, address } = await serve({ startupTimeoutMs: 50 });
  using silent = new RawClient(address);
  using slow = new RawClient(address);
  slow.send(startup({ user: 'tessera' }).subarray(0, 10));
  await Promise.all([silent.closed(), slow.closed()]);
  await expect.poll(() => server.connections).toBe(0);
});

it('a message over the limit ends the connection before it is read', async () => {
  const { address } = await serve({ maxMessageBytes: 1_000 });
  using client = await RawClient.open(address);
  client.send(query(`SELECT '${'x'.repeat(2_000)}'`).subarray(0, 10));
  expect((await client.until('Z')).map(messageText)).toEqual([expect.stringMatching(/^E FATAL 08P01/)]);
});

it('a client that does not read its result is disconnected, and the query ends', async () => {
  const { server, address } = await serve({ writeIdleMs: 100 });
  using client = await RawClient.open(address);
  client.socket.pause();
  client.send(query("SELECT repeat('x', 1000) FROM generate_series(1, 100000)"));
  await expect.poll(() => server.connections).toBe(0);
  await expect.poll(() => coordinator.running.size).toBe(0);
});

it('five hundred idle connections are cheap', async () => {
  const { server, address } = await serve({});
  const clients = await Promise.all(Array.from({ length: 500 }, () => RawClient.open(address)));
  try {
    expect(server.connections).toBe(500);
    expect(coordinator.running.size).toBe(0);
    const answers = await Promise.all(clients.slice(0, 50).map((client) => client.ask(query('SELECT 42'))));
    expect(answers.every((answer) => answer.includes('D 42'))).toBe(true);
  } finally {
    for (const client of clients) client.socket.destroy();
  }
  await expect.poll(() => server.connections).toBe(0);
});
