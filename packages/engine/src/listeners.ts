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
/**
 * The time in milliseconds for clients to read the end of their answer, or to finish a request that came too
 * late.
 */
const CLOSE_MS = 2_000;

export interface Listener {
  readonly purpose: 'query' | 'postgres' | 'health' | 'metrics';
  /** The address as `http://127.0.0.1:3473`, `postgres://127.0.0.1:5432` or `unix:/run/tessera.sock`. */
  readonly address: string;
  /** Whether only programs of this machine can connect, or also those of others. */
  readonly reach: 'machine' | 'network';
  readonly encrypted: boolean;
  /** The number of open connections. */
  connections(): Promise<number>;
  /** Directs clients to other nodes for their next request; requests that still arrive are answered. */
  redirectClients(): void;
  /**
   * Lets running work finish within the time, for protocols whose connections have state beyond single
   * statements.
   */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
  /** Closes the remaining connections. */
  cutOff(): void;
}

interface QueryPlace {
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
 * Opens every listener of the node, or none. Health and metrics are never encrypted: they contain no data,
 * and their clients cannot verify a certificate.
 * @throws TesseraError INVALID_ARGUMENT that names the port or socket that is not available
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

/** Stops accepting connections, lets running answers finish, and closes; remaining connections are cut. */
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
    // Fastify reports http for a server that it did not create itself.
    address: 'path' in place ? `unix:${place.path}` : encrypted ? url.replace(/^http:/, 'https:') : url,
    reach,
    encrypted,
    connections: () => promisify(app.server.getConnections).call(app.server),
    redirectClients: () => endConnections(app.server),
    // A request on an idle connection would be refused, so clients should find the connection closed.
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
    // The protocol has no such message.
    redirectClients: () => {},
    drain: (graceMs) => server.drain(graceMs),
    close: () => server.close(),
    cutOff: () => {},
  };
}

const PORT_FLAGS: Readonly<Record<Listener['purpose'], string>> = {
  query: '--http-port',
  postgres: '--postgres-port',
  health: '--health-port',
  metrics: '--metrics-port',
};

function refuse(purpose: Listener['purpose'], place: Place, error: NodeJS.ErrnoException): never {
  const where = 'path' in place ? `socket ${place.path}` : `${place.host}:${place.port}`;
  const remedy =
    'path' in place ? 'name another in endpoints.http' : `choose another with ${PORT_FLAGS[purpose]}`;
  const reason = error.code === 'EADDRINUSE' ? `it is in use; ${remedy}` : error.message;
  throw TesseraError.of('INVALID_ARGUMENT', {
    message: `Cannot listen on ${where} for ${purpose}: ${reason}`,
  });
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');

/** Removes a socket file that a crash left behind; if a server answers there, it belongs to that server. */
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
