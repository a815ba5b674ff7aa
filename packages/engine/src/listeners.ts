import { rm, stat } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { TesseraError } from '@tessera/common';
import { endConnections, type TlsKeyPair } from '@tessera/http-api';
import type { PostgresServer } from '@tessera/postgres-api';
import type { FastifyInstance } from 'fastify';
import type { ListenerTls } from './listener-tls.ts';
import { DEFAULT_HTTP_PORT, type ServeOptions } from './serve-options.ts';

const LOOPBACK = '127.0.0.1';
/** What clients have to read the end of their answer, or to end a request that came too late, in milliseconds. */
const CLOSE_MS = 2_000;

export interface Listener {
  readonly purpose: 'query' | 'postgres' | 'health' | 'metrics';
  /** `http://127.0.0.1:3473`, `postgres://127.0.0.1:5432` or `unix:/run/tessera.sock`. */
  readonly address: string;
  /** Who can connect: programs of this machine, or others too. */
  readonly reach: 'machine' | 'network';
  readonly encrypted: boolean;
  /** Connections that are open. */
  connections(): Promise<number>;
  /** Has clients go elsewhere with what they send next, and still answers those that do not. */
  leave(): void;
  /** Lets what is under way end within the time, where a connection is more than its statements. */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
  /** Ends the connections of those who dawdle. */
  cutOff(): void;
}

export interface QueryPlace {
  readonly listener: 'tcp' | 'unix';
  readonly loopbackOnly: boolean;
  readonly tls: TlsKeyPair | undefined;
}

export interface ServerFactories {
  query(place: QueryPlace): FastifyInstance;
  postgres(): Promise<PostgresServer>;
  health(): FastifyInstance;
  metrics(): FastifyInstance;
}

/**
 * Opens every listener of the node, or none. Health and metrics are never encrypted: they hold no data, and what asks them
 * cannot check a certificate.
 * @throws TesseraError INVALID_ARGUMENT naming the port or socket that cannot be had
 */
export async function openListeners(
  options: ServeOptions,
  tls: ListenerTls | undefined,
  servers: ServerFactories,
): Promise<Listener[]> {
  const { listenHost: host = LOOPBACK } = options;
  const reach = isLoopback(host) ? 'machine' : 'network';
  const opened: Listener[] = [];
  const http = async (purpose: HttpPurpose, app: FastifyInstance, place: Place) =>
    opened.push(await listenHttp(purpose, app, place, 'path' in place ? 'machine' : reach));
  try {
    const port = httpPort(options);
    if (port !== undefined) {
      const place = { listener: 'tcp', loopbackOnly: reach === 'machine', tls: tls?.current } as const;
      const app = servers.query(place);
      if (app.server instanceof TlsServer) tls?.keepCurrent(app.server);
      await http('query', app, { host, port });
    }
    for (const { type, path } of options.config.endpoints.http.listeners) {
      if (type !== 'unix' || !path) continue;
      await removeStaleSocket(path);
      const app = servers.query({ listener: 'unix', loopbackOnly: false, tls: undefined });
      await http('query', app, { path });
    }
    for (const port of postgresPorts(options))
      opened.push(await listenPostgres(await servers.postgres(), { host, port }, reach, tls !== undefined));
    await http('health', servers.health(), { host, port: options.healthPort });
    await http('metrics', servers.metrics(), { host, port: options.metricsPort });
    return opened;
  } catch (error) {
    await closeListeners(opened);
    throw error;
  }
}

function httpPort({ config, httpPort: told }: ServeOptions): number | undefined {
  const { listeners } = config.endpoints.http;
  if (told !== undefined) return told;
  if (listeners.length === 0) return DEFAULT_HTTP_PORT;
  return listeners.find(({ type }) => type === 'tcp')?.port ?? undefined;
}

function postgresPorts({ config, postgresPort: told }: ServeOptions): number[] {
  if (told !== undefined) return [told];
  return config.endpoints.postgres.listeners.flatMap(({ port }) => (port === null ? [] : [port]));
}

/** Stops accepting, lets answers under way end, and closes; who dawdles is cut off. */
export async function closeListeners(listeners: readonly Listener[]): Promise<void> {
  const cut = setTimeout(() => {
    for (const listener of listeners) listener.cutOff();
  }, CLOSE_MS);
  await Promise.all(listeners.map((listener) => listener.close()));
  clearTimeout(cut);
}

type HttpPurpose = Exclude<Listener['purpose'], 'postgres'>;
type Place = { readonly host: string; readonly port: number } | { readonly path: string };

async function listenHttp(
  purpose: HttpPurpose,
  app: FastifyInstance,
  place: Place,
  reach: Listener['reach'],
): Promise<Listener> {
  const url = await app.listen(place).catch((error: Error) => refuse(purpose, place, error));
  const encrypted = app.server instanceof TlsServer;
  return {
    purpose,
    // Fastify says http of a server that it did not make itself.
    address: 'path' in place ? `unix:${place.path}` : encrypted ? url.replace(/^http:/, 'https:') : url,
    reach,
    encrypted,
    connections: () => promisify(app.server.getConnections).call(app.server),
    leave: () => endConnections(app.server),
    // Who sends the next request on one that is idle would be refused: let them find it closed.
    drain: async () => app.server.closeIdleConnections(),
    close: () => app.close(),
    cutOff: () => app.server.closeAllConnections(),
  };
}

async function listenPostgres(
  server: PostgresServer,
  place: { readonly host: string; readonly port: number },
  reach: Listener['reach'],
  encrypted: boolean,
): Promise<Listener> {
  const address = await server.listen(place).catch((error: Error) => refuse('postgres', place, error));
  return {
    purpose: 'postgres',
    address: `postgres://${address}`,
    reach,
    encrypted,
    connections: async () => server.connections,
    // The protocol has no word for it.
    leave: () => {},
    drain: (graceMs) => server.drain(graceMs),
    close: () => server.close(),
    cutOff: () => {},
  };
}

function refuse(purpose: Listener['purpose'], place: Place, error: NodeJS.ErrnoException): never {
  const where = 'path' in place ? `socket ${place.path}` : `${place.host}:${place.port}`;
  const reason = error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
  throw TesseraError.of('INVALID_ARGUMENT', {
    message: `Cannot listen on ${where} for ${purpose}: ${reason}`,
  });
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');

/** A socket file that nobody answers at was left by a crash; one that answers is another server's. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !found.isSocket()) return;
  const answered = await new Promise<boolean>((resolve) => {
    const probe = createConnection(path);
    probe.once('connect', () => resolve(true));
    probe.once('error', () => resolve(false));
    probe.once('close', () => resolve(false));
    probe.unref();
  });
  if (!answered) await rm(path, { force: true });
}
