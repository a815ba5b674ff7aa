import { type Logger, startTimer, TesseraError } from '@tessera/common';
import { SessionValues } from '@tessera/coordinator';
import { milliseconds } from '../parameters/parameter-kinds.ts';
import type { SessionParameters } from '../parameters/session-parameters.ts';
import { parameterStatus, readyForQuery } from '../protocol/backend-message.ts';
import type { ClientStream } from '../protocol/client-stream.ts';
import type { Frame } from '../protocol/frame-reader.ts';
import { type FrontendMessage, readFrontendMessage } from '../protocol/frontend-message.ts';
import { errorResponse, noticeResponse, type Report, reportOf, reportOfNotice } from '../protocol/report.ts';
import { reportable } from '../protocol/reportable.ts';
import { type EngineServices, EngineStatements } from '../statements/engine-statements.ts';
import type { AdvisoryLocks } from './advisory-locks.ts';
import { ExtendedProtocol } from './extended-protocol.ts';
import { Portals } from './portal.ts';
import { PreparedStatements } from './prepared-statement.ts';
import { runStatement } from './run-statement.ts';
import { SessionLocks } from './session-locks.ts';
import type { SessionState } from './session-state.ts';
import { SessionTransaction } from './session-transaction.ts';
import { simpleQuery } from './simple-query.ts';
import { endTransaction, readsOnly } from './transaction-control.ts';

export interface SessionServices extends EngineServices {
  readonly maxMessageBytes: number;
  readonly maxCopyBytes: number;
  readonly log: Logger;
  readonly advisoryLocks: AdvisoryLocks;
}

export interface SessionOptions extends SessionServices {
  readonly user: string;
  /** Undefined if authentication is off. */
  readonly userId: string | undefined;
  readonly database: string | undefined;
  readonly parameters: SessionParameters;
}

/** Messages that are always followed by ReadyForQuery, even after an error: Query, FunctionCall, Sync. */
const ENDED_BY_ITSELF: ReadonlySet<string> = new Set(['Q', 'F', 'S']);

/** Errors after which the connection ends. */
const FATAL: ReadonlySet<string> = new Set(['DRAINING', 'CLIENT_TOO_SLOW']);

/** Serves the messages of an authenticated client, one after the other. */
export class Session {
  readonly parameters: SessionParameters;
  readonly #options: SessionOptions;
  readonly #stream: ClientStream;
  readonly #state: SessionState;
  readonly #extended: ExtendedProtocol;
  /** Whether the session is waiting for the client's next message. */
  #isWaiting = false;
  #isStopping = false;

  constructor(stream: ClientStream, options: SessionOptions) {
    const { user, userId, database, parameters, maxMessageBytes, maxCopyBytes } = options;
    this.parameters = parameters;
    this.#options = options;
    this.#stream = stream;
    const drawn = new SessionValues();
    const temporary = options.coordinator.openSession();
    const scope = () => ({
      drawn,
      temporary,
      user,
      userId,
      database: state.database,
      settings: parameters.settings,
      transactionId: state.transaction.id,
      readOnly: readsOnly(state),
      preparedStatements: () => state.statements.facts(),
    });
    const engine = new EngineStatements(options, scope, stream.closed, (notice) =>
      this.#notify(reportOfNotice(notice)),
    );
    const transaction = new SessionTransaction(async (sql) => {
      const outcome = await engine.start({ sql, parameters: [], encoding: { kind: 'arrow' } });
      return outcome.kind === 'done' ? outcome.session : undefined;
    });
    const state: SessionState = {
      user,
      database,
      drawn,
      temporary,
      locks: new SessionLocks(options.advisoryLocks),
      parameters,
      transaction,
      engine,
      stream,
      statements: new PreparedStatements(),
      portals: new Portals(),
      limits: { maxMessageBytes, maxCopyBytes },
      start: (parsed, run) => runStatement(state, parsed, run),
      notify: (report) => this.#notify(report),
    };
    this.#state = state;
    this.#extended = new ExtendedProtocol(state);
  }

  /**
   * Serves the client until it disconnects or the session is stopped. @throws TesseraError if an error ends
   * the connection
   */
  async run(): Promise<void> {
    for (;;) {
      if (this.#stream.isFull) await this.#stream.flush();
      if (this.#isStopping && this.#stream.buffered === 0) return;
      const frame = await this.#nextFrame();
      if (frame === undefined) return;
      let message: FrontendMessage | undefined;
      try {
        message = readFrontendMessage(frame);
        if (message.kind === 'terminate') return;
        await this.#handle(message);
      } catch (error) {
        await this.#fail(error, frame.type, message);
      }
    }
  }

  /**
   * @throws TesseraError IDLE_SESSION, IDLE_TRANSACTION if the client is silent for longer than its own
   * timeout settings
   */
  async #nextFrame(): Promise<Frame | undefined> {
    const isExplicit = this.#state.transaction.isExplicit;
    const name = isExplicit ? 'idle_in_transaction_session_timeout' : 'idle_session_timeout';
    const timeoutMs = milliseconds(this.parameters.show(name)) ?? 0;
    const silence = new AbortController();
    const timer =
      timeoutMs === 0
        ? undefined
        : startTimer(() => {
            const error = isExplicit ? 'IDLE_TRANSACTION' : 'IDLE_SESSION';
            silence.abort(TesseraError.of(error, { timeoutMs }));
          }, timeoutMs);
    this.#isWaiting = true;
    try {
      return await this.#stream.message(this.#options.maxMessageBytes, timer && silence.signal);
    } finally {
      this.#isWaiting = false;
      timer?.clear();
    }
  }

  async #handle(message: FrontendMessage): Promise<void> {
    switch (message.kind) {
      case 'query':
        await simpleQuery(this.#state, message.sql);
        return this.#finish();
      case 'sync':
        this.#extended.isSkipping = false;
        return this.#finish();
      case 'flush':
        return this.#stream.flush();
      // Remaining messages of a COPY that has failed.
      case 'copy_data':
      case 'copy_done':
      case 'copy_fail':
        return;
      case 'function_call':
        throw TesseraError.of('NOT_SUPPORTED', { what: 'The function call protocol' });
      case 'password':
        throw TesseraError.of('PROTOCOL_VIOLATION', { message: 'A password was not asked for' });
      case 'terminate':
        return;
      default:
        if (!this.#extended.isSkipping) await this.#extended.handle(message);
    }
  }

  /** Ends an implicit transaction and tells the client that it may continue. */
  async #finish(): Promise<void> {
    if (!this.#state.transaction.isExplicit) await endTransaction(this.#state);
    this.#ready();
  }

  #ready(): void {
    if (!this.#state.transaction.isExplicit) this.#state.locks.endTransaction();
    for (const [name, value] of this.parameters.takeChanged()) {
      this.#stream.write(parameterStatus(name, value));
    }
    this.#stream.write(readyForQuery(this.#state.transaction.status));
  }

  async #fail(error: unknown, type: number, message: FrontendMessage | undefined): Promise<void> {
    const failure = reportable(error, this.#options.log);
    this.#options.log.info({ error: failure.name, message: failure.message }, 'statement failed');
    if (FATAL.has(failure.name) || this.#stream.closed.aborted) throw failure;
    const { transaction } = this.#state;
    transaction.fail();
    this.#stream.write(errorResponse(reportOf(failure, 'ERROR', this.#textOf(message))));
    if (!ENDED_BY_ITSELF.has(String.fromCharCode(type))) {
      this.#extended.isSkipping = true;
      return;
    }
    if (!transaction.isExplicit) await endTransaction(this.#state);
    this.#ready();
  }

  #textOf(message: FrontendMessage | undefined): string | undefined {
    if (message?.kind === 'query' || message?.kind === 'parse') return message.sql;
    return this.#extended.textOf(message);
  }

  #notify(report: Report): void {
    const least = this.parameters.show('client_min_messages');
    const isWanted = report.severity === 'WARNING' ? least !== 'error' : !/^(?:warning|error)$/.test(least);
    if (isWanted) this.#stream.write(noticeResponse(report));
  }

  /** Cancels the running statement. */
  cancel(): void {
    const reason = 'canceling statement due to user request';
    this.#state.engine.cancel(TesseraError.of('QUERY_CANCELLED', { reason }));
  }

  /** Ends the session after its current statement. */
  stop(): void {
    this.#isStopping = true;
    if (this.#isWaiting) this.#stream.stop();
  }

  /** Closes open portals and the transaction. Never rejects. */
  async close(): Promise<void> {
    try {
      await this.#state.portals.closeAll();
      await this.#state.transaction.rollback();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'a transaction was left open: its connection ended');
    }
    this.#state.locks.close();
    await this.#options.coordinator.endSession(this.#state.temporary);
  }
}
