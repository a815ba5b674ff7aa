import type { Socket } from 'node:net';
import type { Authenticator } from '@tessera/auth';
import { type Logger, startTimer, TesseraError } from '@tessera/common';
import type { Coordinator } from '@tessera/coordinator';
import { openSessionParameters } from '../parameters/session-parameters.ts';
import {
  AUTHENTICATION_OK,
  backendKeyData,
  parameterStatus,
  readyForQuery,
} from '../protocol/backend-message.ts';
import type { ClientStream } from '../protocol/client-stream.ts';
import { errorResponse, reportOf, type Severity } from '../protocol/report.ts';
import { reportable } from '../protocol/reportable.ts';
import { Session, type SessionServices } from '../session/session.ts';
import { authenticate } from './authenticate.ts';
import type { CancelKey } from './cancel-keys.ts';
import { openStream, type StartupMessage, type StartupServices } from './startup.ts';

export interface ConnectionServices extends StartupServices, SessionServices {
  readonly authenticator: Authenticator;
  readonly startupTimeoutMs: number;
  readonly log: Logger;
  /** Checks that another connection may begin. @throws TesseraError TOO_MANY_CONNECTIONS */
  checkRoom(): void;
  /** Registers a client that has authenticated. @throws TesseraError TOO_MANY_CONNECTIONS */
  letIn(connection: Connection): void;
}

/** The time in milliseconds that clients get to read the last message before the connection is cut. */
const LINGER_MS = 2_000;

/** One client, from its first byte to its last. */
export class Connection {
  readonly #socket: Socket;
  readonly #services: ConnectionServices;
  #stream: ClientStream | undefined;
  #session: Session | undefined;
  #endReason: TesseraError | undefined;

  constructor(socket: Socket, services: ConnectionServices) {
    this.#socket = socket;
    this.#services = services;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
  }

  /** Serves the client until it disconnects or is disconnected. Never rejects. */
  async run(): Promise<void> {
    const { log } = this.#services;
    try {
      await this.#serve();
    } catch (error) {
      if (this.#stream?.closed.aborted !== true) {
        const failure = reportable(error, log);
        const { name, message, cause } = failure;
        const reason = cause instanceof Error ? cause.message : undefined;
        log.info({ error: name, message, reason }, 'PostgreSQL connection ended');
        this.#say(failure, 'FATAL');
      }
    }
    if (this.#endReason !== undefined) this.#say(this.#endReason, 'FATAL');
    this.#stream?.end(LINGER_MS);
  }

  #say(error: TesseraError, severity: Severity): void {
    this.#stream?.write(errorResponse(reportOf(error, severity)));
  }

  async #serve(): Promise<void> {
    const services = this.#services;
    const timer = startTimer(() => this.#socket.destroy(), services.startupTimeoutMs);
    let started: Started | undefined;
    let key: CancelKey | undefined;
    try {
      started = await this.#start();
      if (started === undefined) return;
      timer.clear();
      const { session, stream } = started;
      this.#session = session;
      key = services.keys.add(() => session.cancel());
      stream.write(AUTHENTICATION_OK);
      for (const [name, value] of session.parameters.reported()) stream.write(parameterStatus(name, value));
      stream.write(backendKeyData(key.processId, key.secret), readyForQuery('I'));
      if (this.#endReason === undefined) await session.run();
    } finally {
      timer.clear();
      if (key !== undefined) services.keys.remove(key);
      await started?.session.close();
    }
  }

  /** Runs the start-up phase. Undefined if the client disconnects or only sent a cancel request. */
  async #start(): Promise<Started | undefined> {
    const services = this.#services;
    const address = this.#socket.remoteAddress ?? '';
    const { stream, startup, encrypted } = await openStream(this.#socket, services, (opened) => {
      this.#stream = opened;
    });
    if (startup === undefined) return undefined;
    services.checkRoom();
    const { user, database: named } = identity(startup);
    const caller = { user, address, isPrivate: encrypted || isLoopback(address) };
    const connected = await authenticate(stream, caller, services.authenticator);
    if (connected === undefined) return undefined;
    services.letIn(this);
    const { name, id: userId } = connected;
    const database = await chosenDatabase(services.coordinator, { database: named, user, name });
    const parameters = openSessionParameters(startup.parameters, {
      user: name,
      isSuperuser: services.coordinator.isAdministrator(name),
    });
    const session = new Session(stream, { ...services, user: name, userId, database, parameters });
    return { stream, session };
  }

  /** Disconnects the client: at once if it is idle, otherwise after its statement. */
  end(reason: TesseraError): void {
    this.#endReason ??= reason;
    if (this.#session === undefined) this.destroy();
    else this.#session.stop();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

interface Started {
  readonly stream: ClientStream;
  readonly session: Session;
}

function identity({ parameters }: StartupMessage): { user: string; database: string | undefined } {
  const user = parameters.get('user');
  if (user === undefined || user === '') {
    throw TesseraError.of('UNAUTHENTICATED', { message: 'The start-up message names no user' });
  }
  const replication = parameters.get('replication') ?? 'false';
  if (!/^(?:false|off|no|0)$/i.test(replication)) {
    throw TesseraError.of('NOT_SUPPORTED', { what: 'A replication connection' });
  }
  return { user, database: parameters.get('database') || undefined };
}

/** Databases that every PostgreSQL server has. Tools such as createdb connect to them to create others. */
const EVERYWHERE: ReadonlySet<string> = new Set(['postgres', 'template1']);

/**
 * The database of a connection. Clients without a configured database send the name of their user, or of a
 * database that every server has. If no such database exists, the default database is used.
 * @throws TesseraError DATABASE_NOT_FOUND, FORBIDDEN
 */
async function chosenDatabase(
  coordinator: Coordinator,
  {
    database,
    user,
    name,
  }: { readonly database: string | undefined; readonly user: string; readonly name: string },
): Promise<string | undefined> {
  try {
    await coordinator.checkDatabase(database, name);
    return database;
  } catch (error) {
    const isMissing = error instanceof TesseraError && error.name === 'DATABASE_NOT_FOUND';
    const standsForDefault = database === user || (database !== undefined && EVERYWHERE.has(database));
    if (isMissing && standsForDefault) return undefined;
    throw error;
  }
}

const isLoopback = (address: string): boolean =>
  address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
