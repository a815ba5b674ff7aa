import type { Logger } from '@tessera/common';
import { TesseraError, type TransactionId } from '@tessera/common';
import {
  type Coordinator,
  type CopyInput,
  LazyRequestDirectory,
  type Notice,
  type ResultEncoding,
  type RowsResult,
  type RunningQuery,
  type SessionUpdate,
  type SessionValues,
  type Settings,
  type StatementDescription,
  type StatementRequest,
  type TemporaryTables,
} from '@tessera/coordinator';
import type { QueryParameter } from '@tessera/sql';
import type { PostgresMetrics } from './postgres-metrics.ts';

export interface EngineServices {
  readonly coordinator: Coordinator;
  readonly requestRoot: string;
  readonly metrics?: PostgresMetrics | undefined;
  readonly log: Logger;
}

/** The session state that accompanies each statement. */
export interface StatementScope {
  readonly user: string;
  readonly userId: string | undefined;
  readonly database: string | undefined;
  readonly drawn: SessionValues;
  readonly temporary: TemporaryTables;
  readonly settings: Settings;
  readonly transactionId: TransactionId | undefined;
  readonly readOnly: boolean;
  readonly preparedStatements: StatementRequest['preparedStatements'];
}

export interface EngineStatement {
  readonly sql: string;
  readonly parameters: readonly QueryParameter[];
  readonly encoding: ResultEncoding;
}

/** Callbacks of a running result. */
export interface ResultHooks {
  /** Called when rows are requested: the statement's run time counts again from here on. */
  resume(): void;
  suspend(): void;
  /** Must always be called after the result was closed, with the error if it failed. */
  end(failure?: unknown): Promise<void>;
}

export type EngineOutcome =
  | { readonly kind: 'rows'; readonly result: RowsResult; readonly hooks: ResultHooks }
  | {
      readonly kind: 'done';
      readonly affectedRows: number;
      readonly session: SessionUpdate | undefined;
    };

/**
 * Runs the statements of one connection in the engine, one at a time; results of earlier statements may still
 * be open.
 */
export class EngineStatements {
  readonly #services: EngineServices;
  readonly #scope: () => StatementScope;
  readonly #clientGone: AbortSignal;
  readonly #notify: (notice: Notice) => void;
  #active: RunningQuery | undefined;
  /** The number of statements that have begun and not ended. */
  #open = 0;

  /** @param notify sends the client a notice that accompanies the result */
  constructor(
    services: EngineServices,
    scope: () => StatementScope,
    clientGone: AbortSignal,
    notify: (notice: Notice) => void,
  ) {
    this.#services = services;
    this.#scope = scope;
    this.#clientGone = clientGone;
    this.#notify = notify;
  }

  /** Cancels the running statement. */
  cancel(reason: TesseraError): void {
    this.#active?.cancel(reason);
  }

  /** @throws TesseraError if the statement is invalid */
  async describe(sql: string, parameters: readonly QueryParameter[]): Promise<StatementDescription> {
    const running = this.#begin();
    try {
      const request = this.#request(
        { sql, parameters, encoding: { kind: 'arrow' } },
        running.directory,
        undefined,
      );
      return await this.#services.coordinator.describeStatement(running.query, request);
    } finally {
      await running.end('ok');
    }
  }

  /**
   * Runs a statement up to its first rows or its end.
   * @param copyInput receives the client's data for the statement into the statement's directory
   * @throws TesseraError the statement's error, or the reason why it was stopped
   */
  async start(
    statement: EngineStatement,
    copyInput?: (directory: LazyRequestDirectory, signal: AbortSignal) => Promise<CopyInput>,
  ): Promise<EngineOutcome> {
    const running = this.#begin();
    const { query, directory } = running;
    query.notices.listen(this.#notify);
    try {
      const request = this.#request(statement, directory, await copyInput?.(directory, query.signal));
      const result = await this.#services.coordinator.execute(query, request);
      if (result.kind === 'done') {
        await running.end('ok');
        return { kind: 'done', affectedRows: result.affectedRows ?? 0, session: result.session };
      }
      const timeoutMs = request.settings.statement_timeout;
      const hooks: ResultHooks = {
        resume: () => {
          running.activate();
          if (running.wasSuspended) query.setDeadline(timeoutMs);
        },
        suspend: () => {
          running.suspend();
          query.setDeadline(0);
        },
        end: (failure) => running.end(outcomeOf(failure)),
      };
      running.deactivate();
      return { kind: 'rows', result, hooks };
    } catch (error) {
      await running.end(outcomeOf(error));
      throw error;
    }
  }

  /** Waits for work outside of the engine. The client can cancel it, and `statement_timeout` applies. */
  async wait(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const running = this.#begin();
    let failure: unknown;
    try {
      running.query.setDeadline(this.#scope().settings.statement_timeout);
      await work(running.query.signal);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      await running.end(outcomeOf(failure));
    }
  }

  #request(
    statement: EngineStatement,
    directory: LazyRequestDirectory,
    copyInput: CopyInput | undefined,
  ): StatementRequest {
    const protocol = 'postgres' as const;
    return { ...this.#scope(), ...statement, protocol, uploads: new Map(), directory, copyInput };
  }

  #begin() {
    const { coordinator, requestRoot, metrics } = this.#services;
    const { settings, user } = this.#scope();
    const query = coordinator.begin({ label: settings.query_label, user });
    const stopTimer = metrics?.startQuery();
    const directory = new LazyRequestDirectory(requestRoot);
    const onGone = () => {
      if (settings.cancel_query_on_connection_drop === 'none') return;
      query.cancel(TesseraError.of('QUERY_CANCELLED', { reason: 'the client disconnected' }));
    };
    this.#clientGone.addEventListener('abort', onGone);
    this.#active = query;
    query.holdsResults = this.#open > 0;
    this.#open += 1;
    let [ended, wasSuspended] = [false, false];
    const deactivate = () => {
      if (this.#active === query) this.#active = undefined;
    };
    return {
      query,
      directory,
      get wasSuspended() {
        return wasSuspended;
      },
      activate: () => {
        this.#active = query;
      },
      deactivate,
      suspend: () => {
        deactivate();
        wasSuspended = true;
      },
      end: async (outcome: string) => {
        if (ended) return;
        ended = true;
        this.#open -= 1;
        deactivate();
        this.#clientGone.removeEventListener('abort', onGone);
        stopTimer?.(outcome);
        coordinator.end(query);
        await directory.remove();
      },
    };
  }
}

function outcomeOf(failure: unknown): string {
  if (failure === undefined) return 'ok';
  return failure instanceof TesseraError ? failure.name : 'INTERNAL';
}
