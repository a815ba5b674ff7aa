import { createServer, type Server, type Socket } from 'node:net';
import type { Authenticator } from '@tessera/auth';
import { type Logger, startTimer, TesseraError } from '@tessera/common';
import type { Coordinator } from '@tessera/coordinator';
import { CancelKeys } from './connection/cancel-keys.ts';
import { Connection, type ConnectionServices } from './connection/connection.ts';
import { type Certificate, TlsUpgrade } from './connection/tls.ts';
import { AdvisoryLocks } from './session/advisory-locks.ts';
import type { PostgresMetrics } from './statements/postgres-metrics.ts';

export interface PostgresLimits {
  /** The limit of authenticated connections. */
  readonly maxConnections: number;
  /** The time in which a client must encrypt, send its start-up message and authenticate. */
  readonly startupTimeoutMs: number;
  /** The limit of one client message. */
  readonly maxMessageBytes: number;
  /** The longest time for which a client may accept no data of its result. */
  readonly writeIdleMs: number;
  /** The limit of the data of one COPY FROM STDIN. */
  readonly maxCopyBytes: number;
}

const DEFAULT_POSTGRES_LIMITS: PostgresLimits = {
  maxConnections: 1_000,
  startupTimeoutMs: 60_000,
  maxMessageBytes: 256 << 20,
  writeIdleMs: 300_000,
  maxCopyBytes: 100_000_000_000,
};

export interface PostgresServerOptions {
  readonly coordinator: Coordinator;
  readonly authenticator: Authenticator;
  /**
   * Called for every TLS handshake, so that certificates can be replaced at run time. If absent, connections
   * are not encrypted.
   */
  readonly tls?: (() => Certificate) | undefined;
  /** The directory in which each statement gets a directory for its files. */
  readonly requestRoot: string;
  readonly log: Logger;
  readonly metrics?: PostgresMetrics | undefined;
  readonly limits?: Partial<PostgresLimits> | undefined;
}

export interface PostgresServer {
  /** The number of open connections. */
  readonly connections: number;
  /** Starts to listen and returns the address as `host:port`. @throws the error of the operating system */
  listen(place: { readonly host: string; readonly port: number }): Promise<string>;
  /**
   * Accepts no new connections and disconnects idle clients at once, the others after their statement, or at
   * the latest after `graceMs`.
   */
  drain(graceMs: number): Promise<void>;
  /** Disconnects all remaining clients. */
  close(): Promise<void>;
}

/**
 * The number of connections that may be in their start-up phase beyond the limit, for connection pools that
 * open and for cancel requests.
 */
const MORE_STARTING = 100;

/** The PostgreSQL endpoint, which listens on a TCP port. */
export function createPostgresServer(options: PostgresServerOptions): PostgresServer {
  return new TcpPostgresServer(options);
}

class TcpPostgresServer implements PostgresServer {
  readonly #server: Server;
  readonly #services: ConnectionServices;
  readonly #connections = new Map<Connection, Promise<void>>();
  /** Connections that have not authenticated yet, oldest first. */
  readonly #starting = new Set<Connection>();
  readonly #letIn = new Set<Connection>();
  readonly #maxStarting: number;

  constructor({ tls, limits, ...options }: PostgresServerOptions) {
    const bounds = { ...DEFAULT_POSTGRES_LIMITS, ...limits };
    this.#services = {
      ...options,
      ...bounds,
      keys: new CancelKeys(),
      advisoryLocks: new AdvisoryLocks(),
      tls: tls && new TlsUpgrade(tls),
      checkRoom: () => this.#checkRoom(bounds),
      letIn: (connection) => {
        this.#checkRoom(bounds);
        this.#starting.delete(connection);
        this.#letIn.add(connection);
      },
    };
    this.#maxStarting = bounds.maxConnections + MORE_STARTING;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  get connections(): number {
    return this.#connections.size;
  }

  #checkRoom({ maxConnections }: PostgresLimits): void {
    if (this.#letIn.size < maxConnections) return;
    throw TesseraError.of('TOO_MANY_CONNECTIONS', { limit: maxConnections });
  }

  #accept(socket: Socket): void {
    // Unauthenticated connections must not keep others out, so the oldest of them is closed.
    const [oldest] = this.#starting;
    if (this.#starting.size >= this.#maxStarting && oldest !== undefined) {
      this.#starting.delete(oldest);
      oldest.destroy();
    }
    const connection = new Connection(socket, this.#services);
    this.#starting.add(connection);
    const served = connection.run().finally(() => {
      this.#connections.delete(connection);
      this.#starting.delete(connection);
      this.#letIn.delete(connection);
    });
    this.#connections.set(connection, served);
  }

  async listen(place: { readonly host: string; readonly port: number }): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(place, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('a TCP server has an address');
    return address.family === 'IPv6'
      ? `[${address.address}]:${address.port}`
      : `${address.address}:${address.port}`;
  }

  async drain(graceMs: number): Promise<void> {
    this.#stopListening();
    const reason = TesseraError.of('DRAINING', {});
    for (const connection of this.#connections.keys()) connection.end(reason);
    const cut = startTimer(() => this.#cutAll(), graceMs);
    await Promise.all(this.#connections.values());
    cut.clear();
  }

  async close(): Promise<void> {
    this.#stopListening();
    this.#cutAll();
    await Promise.all(this.#connections.values());
  }

  #stopListening(): void {
    if (this.#server.listening) this.#server.close();
  }

  #cutAll(): void {
    for (const connection of this.#connections.keys()) connection.destroy();
  }
}
