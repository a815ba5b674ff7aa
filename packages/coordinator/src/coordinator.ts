import { hostname } from 'node:os';
import { Authorizer } from '@tessera/access-control';
import type { ClusterAnswers } from '@tessera/broadcast';
import {
  asNodeName,
  inSpan,
  newQueryId,
  newRequestId,
  type QueryId,
  startTimer,
  startTrace,
  TesseraError,
} from '@tessera/common';
import type { Kernel } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import {
  classifyStatement,
  NO_PARAMETERS,
  type ParameterDescription,
  parameterDescription,
} from '@tessera/sql';
import { type ConfigurationFacts, scannedBytes } from '@tessera/system-catalog';
import { AdmissionControl, type AdmissionOptions } from './admission/admission-control.ts';
import { LongStatements } from './admission/long-statements.ts';
import { QueryBinder } from './binder/query-binder.ts';
import type { ClusterServices } from './distribution/cluster-services.ts';
import { NodeInformation } from './node-facts/node-information.ts';
import type { QueryRecord } from './node-facts/queries-of-nodes.ts';
import { AsyncStatements } from './queries/async-statements.ts';
import { QueryCancellation } from './queries/query-cancellation.ts';
import { QueryHistory } from './queries/query-history.ts';
import { RunningQueries, type RunningQuery } from './queries/running-queries.ts';
import { withPlaceInCsv } from './read/csv-failure.ts';
import { onlyStatement, refuseUnheardChanges } from './request/request-statements.ts';
import { requireValidTexts, type StatementRequest } from './request/statement-request.ts';
import type { RowsResult, StatementResult } from './request/statement-result.ts';
import type { KeptParts } from './reuse/kept-parts.ts';
import type { ResultCache } from './reuse/result-cache.ts';
import { describeQuery } from './run/query-run.ts';
import { SequenceValues } from './sequences/sequence-values.ts';
import { AccessCheck } from './statements/access-check.ts';
import type { MakeCredential } from './statements/catalog-statements.ts';
import { describeStatement, type StatementDescription } from './statements/describe-statement.ts';
import { type OpenTables, openTables } from './statements/open-tables.ts';
import { readToEnd, runStatements } from './statements/run-statements.ts';
import { StatementRunner } from './statements/statement-runner.ts';
import { trackedResult } from './statements/tracked-result.ts';
import { Users } from './statements/user-directory.ts';
import type { TableServices } from './tables.ts';
import { Sessions } from './temporary/sessions.ts';
import type { TemporaryTables } from './temporary/temporary-tables.ts';
import type { Transactions } from './transactions/transactions.ts';
import type { MaintenanceOptions } from './vacuum/maintenance.ts';

export interface CoordinatorOptions {
  readonly kernel: Kernel;
  readonly external: ExternalSources;
  readonly engineId: string;
  /** The parameters of the node's configuration file, which administrators may read; none by default. */
  readonly configuration?: readonly ConfigurationFacts[] | undefined;
  /** False if authentication is off (`auth.mode: disabled`); every user may then do everything. */
  readonly checksPrivileges: boolean;
  /** If undefined, every query runs on this node. */
  readonly cluster?: ClusterServices | undefined;
  /** Undefined if the node keeps no tables. */
  readonly tables?: TableServices | undefined;
  /** If undefined, tables are not maintained automatically. */
  readonly maintenance?: MaintenanceOptions | undefined;
  /** If undefined, every statement runs at once. */
  readonly admission?: AdmissionOptions | undefined;
  /** The number of samples per minute in `engine_metrics_history`; default 12. */
  readonly metricsPerMinute?: number | undefined;
  /** The memory for cached column statistics of tables, in bytes. */
  readonly columnStatisticsBytes?: number | undefined;
  /** Memory of the node process for long statements, in bytes; undefined: any number at once. */
  readonly longStatementBytes?: number | undefined;
  /** The memory for results that later queries may reuse, in bytes; 0, the default, keeps none. */
  readonly resultCacheBytes?: number | undefined;
  /** Memory of the kernel for rows of parts of queries that later queries may reuse, in bytes; 0, the default, keeps none. */
  readonly subresultCacheBytes?: number | undefined;
  /**
   * The number of values of a column of regular expressions that a query compiles once each; 0, the default, compiles them for
   * every row.
   */
  readonly regexpCacheMaxKeys?: number | undefined;
  /** Undefined: users have no passwords. */
  readonly makeCredential?: MakeCredential | undefined;
}

/**
 * Accepts statements from the endpoints and sees each through to its result, its error or its cancellation.
 */
export class Coordinator {
  readonly running = new RunningQueries();
  readonly #history: QueryHistory;
  readonly #options: CoordinatorOptions;
  readonly #async: AsyncStatements;
  readonly #authorizer: Authorizer;
  readonly #access: AccessCheck;
  readonly #admission: AdmissionControl | undefined;
  readonly #binder: QueryBinder;
  readonly #cancellation: QueryCancellation;
  readonly #information: NodeInformation;
  readonly #longStatements: LongStatements;
  readonly #runner: StatementRunner;
  readonly #sessions: Sessions;
  /** Undefined if the node keeps no tables. */
  readonly #tables: OpenTables | undefined;
  #markedUnready = false;
  #draining = false;
  #retries = 0;

  constructor(options: CoordinatorOptions) {
    this.#options = options;
    const { tables } = options;
    const { running } = this;
    const historyPlace = tables?.historyPlace;
    const nodeName = () => options.cluster?.cluster.self.name ?? asNodeName(hostname());
    this.#history = new QueryHistory(nodeName, historyPlace);
    const authorizer = new Authorizer({
      checksPrivileges: options.checksPrivileges,
      current: () => tables?.manager.current,
      latest: async () => tables?.manager.latest(),
    });
    this.#authorizer = authorizer;
    this.#async = new AsyncStatements((user, owner) =>
      authorizer.isOwnOrAny(user, owner, 'READ ANY HISTORY'),
    );
    this.#admission = options.admission && new AdmissionControl(options.admission);
    this.#tables = tables && openTables(tables, { ...options, authorizer });
    const transactions = this.transactions;
    this.#access = new AccessCheck({ authorizer, manager: tables?.manager, transactions });
    this.#information = new NodeInformation({
      ...options,
      authorizer,
      running,
      history: this.#history,
      historyPlace,
      nodeName,
      transactions,
      queuedQueries: () => this.queuedQueries,
      isDraining: () => this.#draining,
    });
    this.#binder = new QueryBinder({
      ...options,
      authorizer,
      transactions,
      sequenceValues: tables && new SequenceValues(tables.manager),
      systemFacts: (scope) => this.#information.factsFor(scope),
    });
    this.#sessions = new Sessions({
      manager: tables?.manager,
      engine: options.engineId,
      cluster: options.cluster?.cluster,
      log: options.maintenance?.log,
    });
    this.#cancellation = new QueryCancellation(running, authorizer, options.cluster);
    this.#longStatements = new LongStatements(options.longStatementBytes ?? Number.POSITIVE_INFINITY);
    this.#runner = new StatementRunner({
      ...options,
      tables,
      longStatements: this.#longStatements,
      access: this.#access,
      binder: this.#binder,
      admission: this.#admission,
      asyncStatements: this.#async,
      cancellation: this.#cancellation,
      catalogStatements: this.#tables?.statements,
    });
  }

  /** Undefined if the node keeps no tables. */
  get transactions(): Transactions | undefined {
    return this.#tables?.transactions;
  }

  /** Opens the state of a client's session, which this node keeps until `endSession`. */
  openSession(): TemporaryTables {
    return this.#sessions.open();
  }

  /**
   * Drops the temporary tables of a session. Never rejects: tables that cannot be dropped now are dropped
   * later.
   */
  endSession(session: TemporaryTables): Promise<void> {
    return this.#sessions.end(session);
  }

  /** The users of the catalog. @throws TesseraError NOT_SUPPORTED if the node keeps no tables */
  get users(): Users {
    const { tables } = this.#options;
    if (tables !== undefined) return new Users(tables.manager);
    throw TesseraError.of('NOT_SUPPORTED', { what: 'A user', hint: 'this node stores no tables' });
  }

  /** Whether the user is an administrator, as far as this node knows without a request. */
  isAdministrator(user: string): boolean {
    return this.#authorizer.isAdministrator(user);
  }

  /** See `AccessCheck.checkDatabase`. */
  checkDatabase(name: string | undefined, user: string): Promise<void> {
    return this.#access.checkDatabase(name, user);
  }

  /** What this cluster answers to other clusters of the engine. */
  get answersForOtherClusters(): ClusterAnswers {
    return {
      rowsOf: (view) => this.#information.rowsForOtherClusters(view),
      cancelQuery: (queryId, reason, ofUser) => this.#cancellation.inCluster(queryId, reason, ofUser),
    };
  }

  /** The queries of this node as rows of `engine_running_queries`, for other nodes. */
  queryRecords(): Promise<readonly QueryRecord[]> {
    return this.#information.queryRecords();
  }

  /** The number of queries that this node coordinates. */
  runningQueries(): number {
    return this.running.size;
  }

  get draining(): boolean {
    return this.#draining;
  }

  get ready(): boolean {
    return !this.#markedUnready && this.#options.kernel.ready;
  }

  /** The number of queries that wait to be admitted. */
  get queuedQueries(): number {
    return this.#admission?.queued ?? 0;
  }

  /** The number of queries that this node may run at once now; infinite without admission control. */
  get admissionPlaces(): number {
    return this.#admission?.places ?? Number.POSITIVE_INFINITY;
  }

  /**
   * The number of queries over tables that read all columns of all tablets, because their plan was not
   * understood.
   */
  get unplannedQueries(): number {
    return this.#binder.unplanned;
  }

  /**
   * The number of queries over large tables that ran on one node, because their plan could not be divided
   * into stages.
   */
  get undistributedQueries(): number {
    return this.#binder.undistributed;
  }

  /** The number of queries for which inputs of unbounded size were gathered on one node. */
  get gatheringQueries(): number {
    return this.#binder.gathered;
  }

  /** The results that later queries may reuse. */
  get resultCache(): Pick<ResultCache, 'hits' | 'misses' | 'size' | 'bytes'> {
    return this.#binder.results;
  }

  /** The rows of parts of queries that later queries may reuse. */
  get keptParts(): Pick<KeptParts, 'hits' | 'size' | 'bytes'> {
    return this.#binder.keptParts;
  }

  /** The number of retries of statements after a conflict or the loss of their kernel process. */
  get retries(): number {
    return this.#retries;
  }

  /** The number of tables that wait to be checked for tablets to merge. */
  get tablesToMerge(): number {
    return this.#tables?.maintenance?.waiting ?? 0;
  }

  /**
   * Registers a query at the start of its request, so that it can be cancelled while its files still arrive.
   * The caller must end it with `end`, whatever its outcome.
   * @throws TesseraError DRAINING, QUERY_ID_IN_USE
   */
  begin(identity: { queryId?: QueryId | undefined; label: string; user: string }): RunningQuery {
    if (this.#draining) throw TesseraError.of('DRAINING', {});
    const { queryId = newQueryId(), label, user } = identity;
    return this.running.add({ queryId, requestId: newRequestId(), label, user });
  }

  end(query: RunningQuery): void {
    this.#retries += query.activity.retries;
    this.running.remove(query.queryId);
    this.#history.add(query);
    endSpan(query);
  }

  /** See `QueryCancellation.here`. */
  cancel(queryId: QueryId, reason: string, ofUser?: string): boolean {
    return this.#cancellation.here(queryId, reason, ofUser);
  }

  /** See `QueryCancellation.anywhere`. */
  cancelAnywhere(queryId: QueryId, reason: string, user: string): Promise<boolean> {
    return this.#cancellation.anywhere(queryId, reason, user);
  }

  /** The parameters and the result of a statement, without running it. */
  async describe(query: RunningQuery, asked: StatementRequest): Promise<ParameterDescription> {
    requireValidTexts(asked);
    const request = this.#access.inDatabase(asked);
    const text = await onlyStatement(request, 'describe_parameters takes exactly one statement');
    query.setDeadline(request.settings.statement_timeout);
    await this.#access.admit(request);
    return this.#longStatements.inTurn(query, text, async () => {
      if (classifyStatement(text).kind !== 'query') return NO_PARAMETERS;
      return parameterDescription(await describeQuery(this.#runner.context(query, request, text)));
    });
  }

  /**
   * The parameter types and result columns of the only statement of a request, without running it. Parameters
   * with a type in the request keep it; none needs a value.
   */
  async describeStatement(query: RunningQuery, asked: StatementRequest): Promise<StatementDescription> {
    requireValidTexts(asked);
    const request = this.#access.inDatabase(asked);
    const text = await onlyStatement(request, 'cannot insert multiple commands into a prepared statement');
    query.setDeadline(request.settings.statement_timeout);
    return this.#longStatements.inTurn(query, text, async () => {
      await this.#access.toDescribe(request, text);
      return describeStatement(this.#runner.context(query, request, text), this.#async);
    });
  }

  /**
   * Runs the statement of a request or, with `enable_multi_query_requests`, each of several, and returns the
   * last one's result. With `multi_query_results=all`, `onRows` receives the results of all statements in
   * order and must close each before the next statement runs; nothing is returned then.
   * @throws TesseraError the statement's error, or the reason why it was stopped
   */
  async execute(
    query: RunningQuery,
    asked: StatementRequest,
    onRows?: (result: RowsResult) => Promise<void>,
  ): Promise<StatementResult> {
    query.activity.start(asked, asked.sql);
    query.span ??= startTrace('query', asked.settings.traceparent || undefined, {
      'db.system.name': 'tessera',
      'db.query.text': query.activity.text,
      'tessera.query_id': query.queryId,
      'tessera.protocol': asked.protocol ?? 'http',
      'enduser.id': asked.user,
    });
    return inSpan(query.span, () => this.#execute(query, asked, onRows));
  }

  async #execute(
    query: RunningQuery,
    asked: StatementRequest,
    onRows?: (result: RowsResult) => Promise<void>,
  ): Promise<StatementResult> {
    const { activity } = query;
    try {
      requireValidTexts(asked);
      await this.#access.admit(asked);
      const request = this.#access.inDatabase(asked);
      const result = await runStatements(query, request, {
        runner: this.#runner,
        access: this.#access,
        transactions: this.transactions,
        onRows: onRows && ((result) => onRows(trackedResult(result, activity))),
      });
      return result.kind === 'rows' ? trackedResult(result, activity) : result;
    } catch (cause) {
      const error = await withPlaceInCsv(cause);
      activity.fail(error);
      throw error;
    }
  }

  /**
   * Starts an asynchronous statement, whose rows are discarded. When it is over, the query is ended and
   * `cleanUp` called. Returns the token for `CALL fb_GetAsyncStatus`.
   * @throws TesseraError INVALID_ARGUMENT for a request whose answer would change the client's session
   */
  async startAsync(
    query: RunningQuery,
    request: StatementRequest,
    cleanUp: () => Promise<void>,
  ): Promise<string> {
    await refuseUnheardChanges(request);
    const work = this.#toTheEnd(query, request).finally(async () => {
      this.end(query);
      await cleanUp();
    });
    return this.#async.start(query, request, work).token;
  }

  async #toTheEnd(query: RunningQuery, request: StatementRequest): Promise<void> {
    const result = await this.execute(query, request);
    if (result.kind === 'rows') await readToEnd(result);
  }

  /** Resolves when no maintenance of tables is running or due. */
  async settled(): Promise<void> {
    await this.#tables?.maintenance?.settled();
  }

  /** Must be called after the node has drained: stops background work and ends what clients left open. */
  async close(): Promise<void> {
    this.#sessions.close();
    await Promise.all([this.#information.close(), this.#history.close()]);
    await this.#tables?.maintenance?.close();
    await this.transactions?.close();
  }

  /** Makes the node unready, although it still accepts queries from clients that have not noticed yet. */
  markUnready(): void {
    this.#markedUnready = true;
  }

  /** Accepts no new queries, lets the running ones finish for `graceMs`, then cancels the rest. */
  async drain(graceMs: number): Promise<void> {
    this.markUnready();
    this.#draining = true;
    const forced = startTimer(() => {
      this.running.cancelAll(TesseraError.of('QUERY_CANCELLED', { reason: 'the node is shutting down' }));
    }, graceMs);
    await this.running.idle();
    forced.clear();
  }
}

function endSpan({ span, activity, signal }: RunningQuery): void {
  if (span === undefined) return;
  span.set({
    'tessera.returned_rows': activity.returnedRows,
    'tessera.scanned_rows': activity.scanned.rows,
    'tessera.scanned_bytes': scannedBytes(activity.scanned),
    'tessera.spilled_bytes': activity.spilledBytes,
  });
  span.end(activity.error ?? (signal.aborted ? signal.reason : undefined));
}
