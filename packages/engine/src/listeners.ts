import { rm, stat } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { TesseraError } from '@tessera/common';
import type { FastifyInstance } from 'fastify';
import { DEFAULT_HTTP_PORT, type ServeOptions } from './serve-options.ts';

const LOOPBACK = '127.0.0.1';
/** What clients have to read the end of their answer, or to end a request that came too late, in milliseconds. */
const CLOSE_MS = 2_000;

export interface Listener {
  readonly purpose: 'query' | 'health' | 'metrics';
  /** `http://127.0.0.1:3473` or `unix:/run/tessera.sock`. */
  readonly address: string;
  readonly app: FastifyInstance;
}

export interface QueryPlace {
  readonly listener: 'tcp' | 'unix';
  readonly loopbackOnly: boolean;
}

export interface ServerFactories {
  query(place: QueryPlace): FastifyInstance;
  health(): FastifyInstance;
  metrics(): FastifyInstance;
}

/**
 * Opens every listener of the node, or none.
 * @throws TesseraError INVALID_ARGUMENT naming the port or socket that cannot be had
 */
export async function openListeners(options: ServeOptions, servers: ServerFactories): Promise<Listener[]> {
  const host = options.listenHost ?? LOOPBACK;
  const opened: Listener[] = [];
  const loopbackOnly = isLoopback(host);
  const tcp = async (purpose: Listener['purpose'], port: number) =>
    opened.push(await listen(purpose, servers[purpose]({ listener: 'tcp', loopbackOnly }), { host, port }));
  try {
    const configured = options.config.endpoints.http.listeners;
    const tcpListener = configured.find((l) => l.type === 'tcp');
    const port =
      options.httpPort ?? tcpListener?.port ?? (configured.length === 0 ? DEFAULT_HTTP_PORT : undefined);
    if (port !== undefined) await tcp('query', port);
    for (const { type, path } of configured) {
      if (type !== 'unix' || !path) continue;
      await removeStaleSocket(path);
      opened.push(await listen('query', servers.query({ listener: 'unix', loopbackOnly: false }), { path }));
    }
    await tcp('health', options.healthPort);
    await tcp('metrics', options.metricsPort);
    return opened;
  } catch (error) {
    await closeListeners(opened);
    throw error;
  }
}

/** Stops accepting, lets answers under way end, and closes; who dawdles is cut off. */
export async function closeListeners(listeners: readonly Listener[]): Promise<void> {
  const cut = setTimeout(() => {
    for (const { app } of listeners) app.server.closeAllConnections();
  }, CLOSE_MS);
  await Promise.all(listeners.map((listener) => listener.app.close()));
  clearTimeout(cut);
}

async function listen(
  purpose: Listener['purpose'],
  app: FastifyInstance,
  place: { host: string; port: number } | { path: string },
): Promise<Listener> {
  try {
    const url = await app.listen(place);
    return { purpose, address: 'path' in place ? `unix:${place.path}` : url, app };
  } catch (error) {
    const where = 'path' in place ? `socket ${place.path}` : `${place.host}:${place.port}`;
    const reason =
      (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'it is in use' : (error as Error).message;
    throw TesseraError.of('INVALID_ARGUMENT', {
      message: `Cannot listen on ${where} for ${purpose}: ${reason}`,
    });
  }
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
