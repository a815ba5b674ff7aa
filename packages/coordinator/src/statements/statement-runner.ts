import { TesseraError } from '@tessera/common';
import type { Kernel } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import { type CopyToStatement, classifyStatement, type ExplainStatement, type Statement } from '@tessera/sql';
import type { AdmissionControl } from '../admission/admission-control.ts';
import type { LongStatements } from '../admission/long-statements.ts';
import type { QueryBinder } from '../binder/query-binder.ts';
import { copyTo } from '../copy/copy-to.ts';
import type { AsyncStatements } from '../queries/async-statements.ts';
import type { QueryCancellation } from '../queries/query-cancellation.ts';
import type { RunningQuery } from '../queries/running-queries.ts';
import { databaseOf } from '../request/request-session.ts';
import { requireSettingName, withSettings } from '../request/settings.ts';
import type { StatementRequest } from '../request/statement-request.ts';
import type { StatementResult } from '../request/statement-result.ts';
import { runQuery, type StatementRun } from '../run/query-run.ts';
import type { TableServices } from '../tables.ts';
import type { AccessCheck } from './access-check.ts';
import {
  type AnsweredStatement,
  answeringQuery,
  collectedQuery,
  isGarbageCollection,
} from './answering-query.ts';
import type { CatalogStatements, RunnableStatement } from './catalog-statements.ts';
import { waitsForTurn, whileAdmitted } from './while-admitted.ts';

export interface StatementRunnerOptions {
  readonly kernel: Kernel;
  readonly external: ExternalSources;
  readonly engineId: string;
  readonly access: AccessCheck;
  readonly binder: QueryBinder;
  readonly asyncStatements: AsyncStatements;
  readonly cancellation: QueryCancellation;
  /** This and `sequences` are undefined if the node keeps no tables. */
  readonly tables: TableServices | undefined;
  readonly catalogStatements: CatalogStatements | undefined;
  /** If undefined, every statement runs at once. */
  readonly admission: AdmissionControl | undefined;
  readonly longStatements: LongStatements;
}

/** Statements that insert rows. */
const INSERTING: ReadonlySet<string> = new Set(['insert', 'copy_from', 'copy_from_stdin', 'create_table_as']);

/** Runs one statement of any kind. */
export class StatementRunner {
  readonly #options: StatementRunnerOptions;

  constructor(options: StatementRunnerOptions) {
    this.#options = options;
  }

  /** The context of one statement of a request. */
  context(query: RunningQuery, request: StatementRequest, text: string): StatementRun {
    const { kernel, external, engineId, binder, access } = this.#options;
    const database = databaseOf(request.database);
    const { user, protocol } = request;
    const sessionValues = { account: '', database, engine: engineId, user, protocol };
    const snapshot = () => access.snapshot(request);
    return { binder, kernel, external, query, request, text, sessionValues, snapshot };
  }

  /**
   * Runs a statement up to the first rows of its result, or completely if it has none. A long statement waits for its
   * turn first. It must not wait for it later, when it holds what others wait for: an admission slot or a lock.
   * @param idempotencyKey returns the idempotency key of what the statement commits
   */
  async run(asked: StatementRun, idempotencyKey: () => string): Promise<StatementResult> {
    const { query, request, text } = asked;
    query.setDeadline(request.settings.statement_timeout);
    return this.#options.longStatements.inTurn(query, text, () => this.#runInTurn(asked, idempotencyKey));
  }

  async #runInTurn(asked: StatementRun, idempotencyKey: () => string): Promise<StatementResult> {
    const { access, admission } = this.#options;
    const { query, request, text } = asked;
    access.readmit(request);
    const statement = classifyStatement(text);
    const changes = ('settings' in statement ? statement.settings : undefined) ?? [];
    const settings = withSettings(request.settings, changes);
    if (settings.statement_timeout !== request.settings.statement_timeout)
      query.setDeadline(settings.statement_timeout);
    query.activity.progress.begin();
    const run = { ...asked, request: { ...request, settings } };
    const started = () => this.#run(run, statement, idempotencyKey);
    const waits = admission !== undefined && waitsForTurn(statement.kind, text);
    const result = await (waits ? whileAdmitted(admission, run, started) : started());
    query.activity.progress.returns();
    return result;
  }

  async #run(
    run: StatementRun,
    statement: Statement,
    idempotencyKey: () => string,
  ): Promise<StatementResult> {
    const { access, cancellation } = this.#options;
    const { request } = run;
    run.query.activity.progress.run(run.text);
    switch (statement.kind) {
      case 'query':
        return this.#query(run);
      case 'explain':
        return this.#explain(run, statement);
      case 'set':
        // Refuses an invalid value.
        withSettings(request.settings, [[statement.name, statement.value]]);
        return { kind: 'done', session: { kind: 'set', name: statement.name, value: statement.value } };
      case 'reset':
        return { kind: 'done', session: { kind: 'remove', name: requireSettingName(statement.name) } };
      case 'use_database':
        await access.checkDatabase(statement.database, request.user);
        await access.authorize(statement, request);
        return { kind: 'done', session: { kind: 'set', name: 'database', value: statement.database } };
      case 'use_engine':
        return { kind: 'done', session: { kind: 'set', name: 'engine', value: statement.engine } };
      case 'show_setting':
      case 'show':
      case 'show_grants':
        await access.authorize(statement, request);
        return this.#answer(run, statement);
      case 'cancel_query':
        await cancellation.byStatement(statement.queryId, request.user);
        return { kind: 'done' };
      case 'call':
        await access.authorize(statement, request);
        if (isGarbageCollection(statement)) return this.#collectGarbage(run);
        return this.#answer(run, statement);
      case 'unsupported':
        throw TesseraError.of('NOT_SUPPORTED', ofSession(statement.name) ?? { what: statement.name });
      case 'copy_to':
        return this.#copyTo(run, statement);
      default:
        return this.#catalogStatement(run, statement, idempotencyKey());
    }
  }

  #query(run: StatementRun): Promise<StatementResult> {
    return this.#inTransaction(run.request, () => runQuery(run));
  }

  #explain(run: StatementRun, { change, ...statement }: ExplainStatement): Promise<StatementResult> {
    if (change === undefined) return this.#query(run);
    return this.#inTransaction(run.request, () =>
      this.#changing(change.kind).explain({ ...statement, change }, run),
    );
  }

  async #copyTo(run: StatementRun, statement: CopyToStatement): Promise<StatementResult> {
    const { request } = run;
    return this.#inTransaction(request, async () => {
      await this.#options.access.authorize(statement, request);
      return { kind: 'done', affectedRows: await copyTo(run, statement) };
    });
  }

  #inTransaction(
    { transactionId }: StatementRequest,
    work: () => Promise<StatementResult>,
  ): Promise<StatementResult> {
    if (transactionId === undefined) return work();
    return this.#options.access.transaction(transactionId).run(work);
  }

  async #catalogStatement(
    run: StatementRun,
    statement: RunnableStatement,
    idempotencyKey: string,
  ): Promise<StatementResult> {
    const result = await this.#changing(statement.kind).run(statement, run, idempotencyKey);
    if (INSERTING.has(statement.kind)) run.query.activity.insertedRows += result.affectedRows ?? 0;
    return result;
  }

  #changing(kind: string): CatalogStatements {
    const { catalogStatements } = this.#options;
    if (catalogStatements === undefined)
      throw TesseraError.of('NOT_SUPPORTED', { what: kind, hint: 'this node stores no tables' });
    return catalogStatements;
  }

  async #answer(run: StatementRun, statement: AnsweredStatement): Promise<StatementResult> {
    const sql = await answeringQuery(statement, run, this.#options.asyncStatements);
    // SHOW and DESCRIBE use the dialect's type names on every endpoint.
    const request = { ...run.request, protocol: undefined };
    return this.#query(this.context(run.query, request, sql));
  }

  async #collectGarbage(run: StatementRun): Promise<StatementResult> {
    const { tables } = this.#options;
    if (tables === undefined) throw TesseraError.of('NOT_SUPPORTED', { what: 'CALL collect_garbage' });
    const { allowCollectGarbage, collectGarbageLimit } = tables.storage;
    if (!allowCollectGarbage) {
      const message = 'collect_garbage is not allowed in this engine (storage.allow_collect_garbage)';
      throw TesseraError.of('FORBIDDEN', { message });
    }
    const report = await tables.manager.collectGarbage(collectGarbageLimit);
    return this.#query({ ...run, text: collectedQuery(report) });
  }
}

/** Statements about the state of a connection, which the PostgreSQL endpoint runs itself. */
const ofSession = (name: string): { readonly what: string; readonly hint: string } | undefined =>
  /^(?:PREPARE|EXECUTE|DEALLOCATE|SAVEPOINT|RELEASE)$/.test(name)
    ? {
        what: `${name} over HTTP`,
        hint: 'use the PostgreSQL protocol, or pass values with query_parameters',
      }
    : undefined;
