import { asQueryId, newQueryId, newRequestId, type QueryId, TesseraError } from '@tessera/common';
import { type Kernel, quoteText } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import { classifyStatement, type ParameterDescription, splitStatements } from '@tessera/sql';
import { AsyncStatements, asyncStatusQuery } from './async-statements.ts';
import { discardTablets } from './changes/discard-tablets.ts';
import { describeQuery } from './describe-query.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { type QueryRunOptions, runQuery } from './query-run.ts';
import { RunningQueries, type RunningQuery } from './running-queries.ts';
import {
  DEFAULT_SETTINGS,
  isSettingName,
  requireSettingName,
  SETTING_NAMES,
  type Settings,
  withSettings,
} from './settings.ts';
import type { StatementRequest } from './statement-request.ts';
import type { RowsResult, SessionUpdate, StatementResult } from './statement-result.ts';
import type { TableServices } from './tables.ts';
import { Transactions } from './transactions.ts';

/** The one database until databases can be created. */
export const DEFAULT_DATABASE = 'tessera';

export interface CoordinatorOptions {
  readonly kernel: Kernel;
  readonly external: ExternalSources;
  readonly engineId: string;
  /** Undefined: the node keeps no tables. */
  readonly tables?: TableServices | undefined;
}

/** Takes statements from the endpoints and sees each through to its result, its error or its cancellation. */
export class Coordinator {
  readonly running = new RunningQueries();
  readonly #options: CoordinatorOptions;
  readonly #async = new AsyncStatements();
  readonly #statements = new PreparedStatements();
  #draining = false;

  /** Undefined where the node keeps no tables. */
  readonly transactions: Transactions | undefined;

  constructor(options: CoordinatorOptions) {
    this.#options = options;
    const { tables } = options;
    if (tables !== undefined) {
      this.transactions = new Transactions({
        manager: tables.manager,
        discard: (actions) => discardTablets(tables, actions),
      });
    }
  }

  get draining(): boolean {
    return this.#draining;
  }

  get ready(): boolean {
    return !this.#draining && this.#options.kernel.ready;
  }

  /**
   * Registers a query at the start of its request, so that it can be cancelled while its files still arrive.
   * The caller ends it with `end`, whatever became of it.
   * @throws TesseraError DRAINING, INVALID_ARGUMENT for an id that is running
   */
  begin(identity: { queryId?: string | undefined; label: string }): RunningQuery {
    if (this.#draining) throw TesseraError.of('DRAINING', {});
    const queryId = identity.queryId === undefined ? newQueryId() : asQueryId(identity.queryId);
    return this.running.add({ queryId, requestId: newRequestId(), label: identity.label });
  }

  end(query: RunningQuery): void {
    this.running.remove(query.queryId);
  }

  cancel(queryId: QueryId, reason: string): boolean {
    return this.running.cancel(queryId, TesseraError.of('QUERY_CANCELLED', { reason }));
  }

  /** What the parameters and the result of a statement would be, without running it. */
  async describe(query: RunningQuery, request: StatementRequest): Promise<ParameterDescription> {
    const [statement, ...more] = splitStatements(request.sql);
    if (statement === undefined || more.length > 0) {
      throw TesseraError.of('SYNTAX_ERROR', { message: 'describe_parameters takes exactly one statement' });
    }
    query.setDeadline(request.settings.statement_timeout);
    return describeQuery(this.#run(query, request, statement.text));
  }

  /**
   * Runs the statement of a request; with `enable_multi_query_requests` each of several, giving the last one's result.
   * @throws TesseraError what the statement did wrong, or why it was stopped
   */
  async execute(query: RunningQuery, request: StatementRequest): Promise<StatementResult> {
    const database = request.database ?? DEFAULT_DATABASE;
    if (database.toLowerCase() !== DEFAULT_DATABASE)
      throw TesseraError.of('DATABASE_NOT_FOUND', { database });
    const statements = splitStatements(request.sql);
    const last = statements.pop();
    if (last === undefined)
      throw TesseraError.of('SYNTAX_ERROR', { message: 'The request holds no statement' });
    if (statements.length > 0 && !request.settings.enable_multi_query_requests) {
      const message = `The request holds ${statements.length + 1} statements; send one, or set enable_multi_query_requests=true`;
      throw TesseraError.of('SYNTAX_ERROR', { message });
    }
    let settings = request.settings;
    for (const { text } of statements) {
      const result = await this.#statement(query, { ...request, settings }, text);
      if (result.kind === 'rows') await readToEnd(result);
      else if (result.session !== undefined) settings = remember(settings, result.session);
    }
    return this.#statement(query, { ...request, settings }, last.text);
  }

  /**
   * Starts a statement whose client does not wait; its rows are thrown away. The query is ended here, and `cleanUp` run,
   * when it is over. Answers the token that `CALL fb_GetAsyncStatus` takes.
   */
  startAsync(query: RunningQuery, request: StatementRequest, cleanUp: () => Promise<void>): string {
    const work = this.#toTheEnd(query, request).finally(async () => {
      this.end(query);
      await cleanUp();
    });
    return this.#async.start(query, request.user, work).token;
  }

  async #toTheEnd(query: RunningQuery, request: StatementRequest): Promise<void> {
    const result = await this.execute(query, request);
    if (result.kind === 'rows') await readToEnd(result);
  }

  async #statement(query: RunningQuery, request: StatementRequest, text: string): Promise<StatementResult> {
    const statement = classifyStatement(text);
    switch (statement.kind) {
      case 'query':
      case 'explain':
        return this.#query(query, request, text, statement.settings);
      case 'set': {
        withSettings(request.settings, [[statement.name, statement.value]]);
        return { kind: 'done', session: { kind: 'set', name: statement.name, value: statement.value } };
      }
      case 'reset':
        return { kind: 'done', session: { kind: 'remove', name: statement.name } };
      case 'use_database':
        if (statement.database.toLowerCase() !== DEFAULT_DATABASE) {
          throw TesseraError.of('DATABASE_NOT_FOUND', { database: statement.database });
        }
        return { kind: 'done', session: { kind: 'set', name: 'database', value: statement.database } };
      case 'use_engine':
        return { kind: 'done', session: { kind: 'set', name: 'engine', value: statement.engine } };
      case 'show_setting':
        return this.#showSetting(query, request, statement.name);
      case 'cancel_query':
        if (!this.cancel(asQueryId(statement.queryId), 'CANCEL QUERY by a user')) {
          throw TesseraError.of('QUERY_NOT_FOUND', { queryId: statement.queryId });
        }
        return { kind: 'done' };
      case 'call':
        return this.#call(query, request, statement);
      case 'unsupported':
        throw TesseraError.of('NOT_SUPPORTED', { what: statement.name });
      default:
        throw TesseraError.of('NOT_SUPPORTED', { what: statement.kind });
    }
  }

  #query(
    query: RunningQuery,
    request: StatementRequest,
    text: string,
    changes: readonly (readonly [string, string])[],
  ): Promise<StatementResult> {
    const settings = withSettings(request.settings, changes);
    query.setDeadline(settings.statement_timeout);
    return runQuery(this.#run(query, { ...request, settings }, text));
  }

  #run(query: RunningQuery, request: StatementRequest, text: string): QueryRunOptions {
    const { kernel, external, engineId } = this.#options;
    const sessionValues = { account: '', database: DEFAULT_DATABASE, engine: engineId, user: request.user };
    const { tables } = this.#options;
    const { transactions } = this;
    const statements = this.#statements;
    return { kernel, external, query, request, text, sessionValues, statements, tables, transactions };
  }

  #call(
    query: RunningQuery,
    request: StatementRequest,
    statement: { readonly name: string; readonly arguments: readonly string[] },
  ): Promise<StatementResult> {
    if (statement.name.toLowerCase() !== 'fb_getasyncstatus') {
      throw TesseraError.of('NOT_SUPPORTED', { what: `CALL ${statement.name}` });
    }
    const [token = ''] = statement.arguments;
    return this.#query(query, request, asyncStatusQuery(this.#async.get(token)), []);
  }

  #showSetting(
    query: RunningQuery,
    request: StatementRequest,
    name: string | undefined,
  ): Promise<StatementResult> {
    const shown = name === undefined ? SETTING_NAMES : [requireSettingName(name)];
    const rows = shown.map((n) => `(${quoteText(n)}, ${quoteText(String(request.settings[n]))})`);
    return this.#query(query, request, `SELECT * FROM (VALUES ${rows.join(', ')}) AS s(name, value)`, []);
  }

  /** Takes no new query, lets the running ones finish for `graceMs`, then cancels what is left. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    const forced = setTimeout(() => {
      this.running.cancelAll(TesseraError.of('QUERY_CANCELLED', { reason: 'the node is shutting down' }));
    }, graceMs);
    await this.running.idle();
    clearTimeout(forced);
  }
}

async function readToEnd(result: RowsResult): Promise<void> {
  try {
    for await (const _ of result.chunks);
  } finally {
    await result.close();
  }
}

/** What a `SET`, `RESET` or `USE` does to the statements that follow it in the same request. */
function remember(settings: Settings, update: SessionUpdate): Settings {
  if (!isSettingName(update.name)) return settings;
  if (update.kind === 'set') return withSettings(settings, [[update.name, update.value]]);
  return withSettings(settings, [[update.name, String(DEFAULT_SETTINGS[update.name])]]);
}
