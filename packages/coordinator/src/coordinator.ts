import { hostname } from 'node:os';
import { asQueryId, newQueryId, newRequestId, type QueryId, TesseraError } from '@tessera/common';
import type { Kernel } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import type { ClusterMember } from '@tessera/scheduler';
import {
  type CopyToStatement,
  classifyStatement,
  NO_PARAMETERS,
  type ParameterDescription,
  parameterDescription,
  type Statement,
  splitStatements,
} from '@tessera/sql';
import {
  type AnsweredStatement,
  answeringQuery,
  collectedQuery,
  isGarbageCollection,
} from './answering-query.ts';
import { AsyncStatements } from './async-statements.ts';
import { Authorizer } from './authorization/authorizer.ts';
import { CatalogStatements, type MakeCredential, type RunnableStatement } from './catalog-statements.ts';
import { discardTablets } from './changes/discard-tablets.ts';
import { commitName } from './commit-name.ts';
import { copyTo } from './copy/copy-to.ts';
import { describeQuery } from './describe-query.ts';
import { describeStatement, type StatementDescription } from './describe-statement.ts';
import type { ClusterServices } from './distribution/cluster-services.ts';
import { MetricsHistory } from './information-schema/metrics-history.ts';
import { type QueryRecord, queriesElsewhere, queryRecords } from './information-schema/queries-of-nodes.ts';
import type { NodeFacts, SystemFacts } from './information-schema/system-facts.ts';
import { QueryHistory, queryFacts } from './query-history.ts';
import { type QueryRunOptions, runQuery } from './query-run.ts';
import { QueryBinder, type SystemScope } from './read/query-binder.ts';
import { DEFAULT_DATABASE, databaseOf, remember } from './request-session.ts';
import { RunningQueries, type RunningQuery } from './running-queries.ts';
import { withSettings } from './settings.ts';
import type { StatementRequest } from './statement-request.ts';
import type { RowsResult, StatementResult } from './statement-result.ts';
import type { TableServices } from './tables.ts';
import { trackedResult } from './tracked-result.ts';
import { type OpenTransaction, type StatementSnapshot, Transactions } from './transactions.ts';
import { type DirectoryUser, type InitialUser, Users } from './user-directory.ts';
import { observeCommits } from './vacuum/observed-commits.ts';
import { Upkeep, type UpkeepOptions } from './vacuum/upkeep.ts';

export interface CoordinatorOptions {
  readonly kernel: Kernel;
  readonly external: ExternalSources;
  readonly engineId: string;
  /** False where nobody is asked who they are (`auth.mode: disabled`): then everybody may do everything. */
  readonly checksPrivileges: boolean;
  /** Undefined: every query runs on this node. */
  readonly cluster?: ClusterServices | undefined;
  /** Undefined: the node keeps no tables. */
  readonly tables?: TableServices | undefined;
  /** Undefined: tables are left as statements made them. */
  readonly upkeep?: UpkeepOptions | undefined;
  /** Undefined: users have no passwords. */
  readonly makeCredential?: MakeCredential | undefined;
}

/** Statements whose rows are new ones. */
const INSERTING: ReadonlySet<string> = new Set(['insert', 'copy_from', 'copy_from_stdin', 'create_table_as']);

/** Takes statements from the endpoints and sees each through to its result, its error or its cancellation. */
export class Coordinator {
  readonly running = new RunningQueries();
  readonly #history = new QueryHistory();
  readonly #metrics: MetricsHistory;
  readonly #options: CoordinatorOptions;
  readonly #async: AsyncStatements;
  readonly #authorizer: Authorizer;
  readonly #binder: QueryBinder;
  #draining = false;

  /** Undefined where the node keeps no tables. */
  transactions: Transactions | undefined;
  #catalogStatements: CatalogStatements | undefined;
  #upkeep: Upkeep | undefined;

  constructor(options: CoordinatorOptions) {
    this.#options = options;
    this.#authorizer = new Authorizer({
      checksPrivileges: options.checksPrivileges,
      current: () => options.tables?.manager.current,
      latest: async () => options.tables?.manager.latest(),
    });
    this.#async = new AsyncStatements((user, owner) =>
      this.#authorizer.isOwnOrAny(user, owner, 'READ ANY HISTORY'),
    );
    this.#metrics = new MetricsHistory({
      kernelMemory: () => options.kernel.memory(),
      storageAgent: () => options.tables?.agent.metrics(),
      runningQueries: () => this.running.size,
    });
    const cluster = options.cluster?.distributes === true ? options.cluster : undefined;
    this.#binder = new QueryBinder({
      ...options,
      authorizer: this.#authorizer,
      cluster,
      systemFacts: (scope) => this.#systemFacts(scope),
    });
    if (options.tables !== undefined) this.#openTables(options.tables);
  }

  #openTables(services: TableServices): void {
    const { kernel, upkeep } = this.#options;
    if (upkeep !== undefined) this.#upkeep = new Upkeep(services, kernel, upkeep);
    const manager = observeCommits(services.manager, (tableIds) => this.#upkeep?.committed(tableIds));
    const tables = { ...services, manager };
    this.transactions = new Transactions({
      manager,
      discard: (actions) => discardTablets(tables, actions),
    });
    const vacuum = {
      maxConcurrency: upkeep?.autoVacuum.max_concurrency ?? 1,
      sleepBeforeCommitMs: upkeep?.autoVacuum.debug_sleep_before_commit_ms ?? 0,
    };
    const { makeCredential } = this.#options;
    this.#catalogStatements = new CatalogStatements(tables, this.transactions, {
      vacuum,
      makeCredential,
      authorizer: this.#authorizer,
    });
  }

  async #systemFacts({ view, ...scope }: SystemScope): Promise<SystemFacts> {
    const { engineId, cluster } = this.#options;
    const isOfAllNodes = view === 'engine_running_queries' && cluster !== undefined;
    const { user, snapshot } = scope;
    const mayRead = (owner: string) => this.#authorizer.isOwnOrAny(user, owner, 'READ ANY HISTORY');
    return {
      ...scope,
      rights: this.#authorizer.rights(user, snapshot),
      isVisible: this.#authorizer.visible(user, snapshot),
      engine: engineId,
      viewColumns: new Map(),
      transactions: (this.transactions?.list() ?? []).filter((transaction) => mayRead(transaction.user)),
      running: this.running
        .all()
        .map(queryFacts)
        .filter((query) => mayRead(query.user)),
      elsewhere: isOfAllNodes ? await queriesElsewhere(cluster.cluster, mayRead) : [],
      node: this.#nodeName(),
      history: this.#history.readBy(mayRead),
      metrics: this.#metrics,
      nodes: cluster?.cluster.members().map(nodeFacts) ?? [this.#thisNode()],
    };
  }

  #nodeName(): string {
    return this.#options.cluster?.cluster.self.name ?? hostname();
  }

  /** The queries of this node as `engine_running_queries` tells them, for other nodes. */
  queryRecords(): readonly QueryRecord[] {
    return queryRecords(this.running.all().map(queryFacts), this.#nodeName());
  }

  #thisNode(): NodeFacts {
    const startedAt = new Date(Date.now() - 1000 * process.uptime());
    const host = hostname();
    return {
      name: host,
      host,
      status: this.#draining ? 'draining' : 'running',
      version: undefined,
      startedAt,
    };
  }

  /** Whether the user may do everything; as far as this node knows without asking others. */
  isAdministrator(user: string): boolean {
    return this.#authorizer.isAdministrator(user);
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Queries over tables that read everything, because their plan was not understood. */
  get unplannedQueries(): number {
    return this.#binder.unplanned;
  }

  /** Queries over large tables that ran on one node, because their plan could not be told in stages. */
  get undistributedQueries(): number {
    return this.#binder.undistributed;
  }

  /** Queries of which inputs without a bound were gathered on one node. */
  get gatheringQueries(): number {
    return this.#binder.gathered;
  }

  get ready(): boolean {
    return !this.#draining && this.#options.kernel.ready;
  }

  /**
   * Registers a query at the start of its request, so that it can be cancelled while its files still arrive.
   * The caller ends it with `end`, whatever became of it.
   * @throws TesseraError DRAINING, INVALID_ARGUMENT for an id that is running
   */
  begin(identity: { queryId?: string | undefined; label: string; user: string }): RunningQuery {
    if (this.#draining) throw TesseraError.of('DRAINING', {});
    const { label, user } = identity;
    const queryId = identity.queryId === undefined ? newQueryId() : asQueryId(identity.queryId);
    return this.running.add({ queryId, requestId: newRequestId(), label, user });
  }

  end(query: RunningQuery): void {
    this.running.remove(query.queryId);
    this.#history.add(query);
  }

  /** Of one user where that is given: queries of others are not found. */
  cancel(queryId: QueryId, reason: string, ofUser?: string): boolean {
    return this.running.cancel(queryId, TesseraError.of('QUERY_CANCELLED', { reason }), ofUser);
  }

  /**
   * What `user` may cancel, also when another node of the engine coordinates it. False where no node runs such a query, or
   * it is somebody else's.
   * @throws TesseraError UNAUTHENTICATED for a user who is not there any more
   */
  async cancelAnywhere(queryId: QueryId, reason: string, user: string): Promise<boolean> {
    await this.#authorizer.admit({ user });
    const ofUser = this.#authorizer.mayOnEngine(user, 'CANCEL ANY QUERY') ? undefined : user;
    if (this.cancel(queryId, reason, ofUser)) return true;
    const cluster = this.#options.cluster?.cluster;
    if (cluster === undefined) return false;
    const others = cluster.living().filter(({ index }) => index !== cluster.self.index);
    const answers = await Promise.allSettled(
      others.map((node) => cluster.cancelQuery(node, queryId, reason, ofUser)),
    );
    return answers.some((answer) => answer.status === 'fulfilled' && answer.value);
  }

  /** What the parameters and the result of a statement would be, without running it. */
  async describe(query: RunningQuery, asked: StatementRequest): Promise<ParameterDescription> {
    const request = this.#inDatabase(asked);
    const text = onlyStatement(request, 'describe_parameters takes exactly one statement');
    query.setDeadline(request.settings.statement_timeout);
    await this.#admit(request);
    if (classifyStatement(text).kind !== 'query') return NO_PARAMETERS;
    return parameterDescription(await describeQuery(this.#run(query, request, text)));
  }

  /**
   * What the one statement of a request asks for and gives, without running it. Parameters of the request that have a type
   * keep it; none needs a value.
   */
  async describeStatement(query: RunningQuery, asked: StatementRequest): Promise<StatementDescription> {
    const request = this.#inDatabase(asked);
    const text = onlyStatement(request, 'cannot insert multiple commands into a prepared statement');
    query.setDeadline(request.settings.statement_timeout);
    await this.#admit(request);
    await this.checkDatabase(request.database, request.user);
    await this.#authorize(classifyStatement(text), request);
    return describeStatement(this.#run(query, request, text), this.#async);
  }

  /**
   * Runs the statement of a request; with `enable_multi_query_requests` each of several, giving the last one's result.
   * @throws TesseraError what the statement did wrong, or why it was stopped
   */
  async execute(query: RunningQuery, request: StatementRequest): Promise<StatementResult> {
    const { activity } = query;
    activity.start(request.user, request.sql);
    try {
      await this.#admit(request);
      const result = await this.#statements(query, this.#inDatabase(request));
      return result.kind === 'rows' ? trackedResult(result, activity) : result;
    } catch (error) {
      activity.fail(error);
      throw error;
    }
  }

  async #statements(query: RunningQuery, request: StatementRequest): Promise<StatementResult> {
    const statements = splitStatements(request.sql);
    const last = statements.length - 1;
    if (last < 0) throw TesseraError.of('SYNTAX_ERROR', { message: 'The request holds no statement' });
    if (last > 0 && !request.settings.enable_multi_query_requests) {
      const message = `The request holds ${statements.length} statements; send one, or set enable_multi_query_requests=true`;
      throw TesseraError.of('SYNTAX_ERROR', { message });
    }
    await this.checkDatabase(request.database, request.user);
    let session = request;
    try {
      for (const [i, { text }] of statements.entries()) {
        const txnId = commitName(query.queryId, i, text, session);
        const result = await this.#statement(query, session, text, txnId);
        if (i === last) return result;
        if (result.kind === 'rows') await readToEnd(result);
        else if (result.session !== undefined) session = remember(session, result.session);
      }
      throw new Error('A loop over statements ends with the last');
    } catch (error) {
      // As in PostgreSQL, also a statement that is not understood ends what its transaction can do.
      if (session.transactionId !== undefined) this.transactions?.abort(session.transactionId);
      throw error;
    } finally {
      await this.#rollbackBegun(request, session);
    }
  }

  /** A transaction that began and did not end inside one request: no client knows of it. */
  async #rollbackBegun(request: StatementRequest, { transactionId }: StatementRequest): Promise<void> {
    if (transactionId === undefined || transactionId === request.transactionId) return;
    await this.transactions?.rollback(transactionId).catch((error: unknown) => {
      if (!(error instanceof TesseraError) || error.name !== 'NO_TRANSACTION') throw error;
    });
  }

  /**
   * Whether the user may use a database. The default one is not asked for: what is read in it is.
   * @throws TesseraError DATABASE_NOT_FOUND, FORBIDDEN
   */
  async checkDatabase(name: string | undefined, user: string): Promise<void> {
    const database = databaseOf(name);
    if (database === DEFAULT_DATABASE) return;
    const snapshot = await this.#options.tables?.manager.latest();
    const found = snapshot?.database(database);
    if (snapshot === undefined || found === undefined)
      throw TesseraError.of('DATABASE_NOT_FOUND', { database });
    this.#authorizer.require({ kind: 'privilege', privilege: 'USAGE', object: found }, user, snapshot);
  }

  /** A request that names no database is for the default one of its user, as long as that is there. */
  #inDatabase(request: StatementRequest): StatementRequest {
    if (request.database !== undefined) return request;
    const current = this.#options.tables?.manager.current;
    const user = current?.principal(request.user);
    const database = user?.kind === 'user' ? user.defaultDatabase : undefined;
    if (database === undefined || current?.database(database) === undefined) return request;
    return { ...request, database };
  }

  /** @throws TesseraError UNAUTHENTICATED; NO_TRANSACTION for one of somebody else */
  async #admit(request: StatementRequest): Promise<void> {
    const { user, transactionId } = request;
    await this.#authorizer.admit(request);
    if (transactionId === undefined || !this.#authorizer.checksPrivileges) return;
    this.transactions?.checkOwner(transactionId, user);
  }

  /** For statements that change nothing; the others are looked at in the snapshot that they change. */
  async #authorize(statement: Statement, request: StatementRequest): Promise<void> {
    if (!this.#authorizer.concerns(statement)) return;
    const { snapshot, release } = await this.#snapshotFor(request);
    try {
      const asker = { user: request.user, database: databaseOf(request.database) };
      this.#authorizer.authorize(statement, asker, snapshot);
    } finally {
      release();
    }
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

  async #statement(
    query: RunningQuery,
    request: StatementRequest,
    text: string,
    txnId: string,
  ): Promise<StatementResult> {
    await this.#authorizer.admit(request);
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
        await this.checkDatabase(statement.database, request.user);
        await this.#authorize(statement, request);
        return { kind: 'done', session: { kind: 'set', name: 'database', value: statement.database } };
      case 'use_engine':
        return { kind: 'done', session: { kind: 'set', name: 'engine', value: statement.engine } };
      case 'show_setting':
      case 'show':
      case 'show_grants':
        await this.#authorize(statement, request);
        return this.#answer(query, request, text, statement);
      case 'cancel_query':
        await this.#cancelQuery(asQueryId(statement.queryId), request);
        return { kind: 'done' };
      case 'call':
        await this.#authorize(statement, request);
        if (isGarbageCollection(statement)) return this.#collectGarbage(query, request);
        return this.#answer(query, request, text, statement);
      case 'unsupported':
        throw TesseraError.of('NOT_SUPPORTED', { what: statement.name });
      case 'copy_to':
        return this.#copyTo(query, request, text, statement);
      default:
        return this.#catalogStatement(query, request, text, statement, txnId);
    }
  }

  /** @throws TesseraError QUERY_NOT_FOUND */
  async #cancelQuery(queryId: QueryId, { user }: StatementRequest): Promise<void> {
    if (await this.cancelAnywhere(queryId, 'CANCEL QUERY by a user', user)) return;
    throw TesseraError.of('QUERY_NOT_FOUND', { queryId });
  }

  async #copyTo(
    query: RunningQuery,
    request: StatementRequest,
    text: string,
    statement: CopyToStatement,
  ): Promise<StatementResult> {
    query.setDeadline(request.settings.statement_timeout);
    const run = this.#run(query, request, text);
    const copy = async (): Promise<StatementResult> => {
      await this.#authorize(statement, request);
      return { kind: 'done', affectedRows: await copyTo(run, statement) };
    };
    const { transactionId } = request;
    return transactionId === undefined ? copy() : this.#openTransaction(transactionId).run(copy);
  }

  async #catalogStatement(
    query: RunningQuery,
    request: StatementRequest,
    text: string,
    statement: RunnableStatement,
    txnId: string,
  ): Promise<StatementResult> {
    const statements = this.#catalogStatements;
    if (statements === undefined) {
      throw TesseraError.of('NOT_SUPPORTED', { what: statement.kind, hint: 'this node keeps no tables' });
    }
    const changes = ('settings' in statement ? statement.settings : undefined) ?? [];
    const settings = withSettings(request.settings, changes);
    query.setDeadline(settings.statement_timeout);
    const result = await statements.run(statement, this.#run(query, { ...request, settings }, text), txnId);
    if (result.kind === 'done' && INSERTING.has(statement.kind)) {
      query.activity.insertedRows += result.affectedRows ?? 0;
    }
    return result;
  }

  #query(
    query: RunningQuery,
    request: StatementRequest,
    text: string,
    changes: readonly (readonly [string, string])[],
  ): Promise<StatementResult> {
    const settings = withSettings(request.settings, changes);
    query.setDeadline(settings.statement_timeout);
    const run = () => runQuery(this.#run(query, { ...request, settings }, text));
    const { transactionId } = request;
    return transactionId === undefined ? run() : this.#openTransaction(transactionId).run(run);
  }

  #run(query: RunningQuery, request: StatementRequest, text: string): QueryRunOptions {
    const { kernel, external, engineId } = this.#options;
    const database = databaseOf(request.database);
    const sessionValues = { account: '', database, engine: engineId, user: request.user };
    const snapshot = () => this.#snapshotFor(request);
    return { binder: this.#binder, kernel, external, query, request, text, sessionValues, snapshot };
  }

  /** @throws TesseraError NO_TRANSACTION */
  #openTransaction(id: string): OpenTransaction {
    if (this.transactions !== undefined) return this.transactions.get(id);
    throw TesseraError.of('NO_TRANSACTION', { message: 'This node keeps no tables, and so no transactions' });
  }

  async #snapshotFor(request: StatementRequest): Promise<StatementSnapshot> {
    if (this.transactions !== undefined) {
      const read = await this.transactions.snapshotFor(request);
      try {
        this.#authorizer.admitIn(read.snapshot, request);
        return read;
      } catch (error) {
        read.release();
        throw error;
      }
    }
    throw TesseraError.of('NOT_SUPPORTED', { what: 'A table', hint: 'this node keeps no tables' });
  }

  async #answer(
    query: RunningQuery,
    request: StatementRequest,
    text: string,
    statement: AnsweredStatement,
  ): Promise<StatementResult> {
    const sql = await answeringQuery(statement, this.#run(query, request, text), this.#async);
    return this.#query(query, request, sql, []);
  }

  async #collectGarbage(query: RunningQuery, request: StatementRequest): Promise<StatementResult> {
    const { tables } = this.#options;
    if (tables === undefined) throw TesseraError.of('NOT_SUPPORTED', { what: 'CALL collect_garbage' });
    const { allowCollectGarbage, collectGarbageLimit } = tables.storage;
    if (!allowCollectGarbage) {
      const message = 'collect_garbage is not allowed in this engine (storage.allow_collect_garbage)';
      throw TesseraError.of('FORBIDDEN', { message });
    }
    const report = await tables.manager.collectGarbage(collectGarbageLimit);
    return this.#query(query, request, collectedQuery(report), []);
  }

  /** The user of the name, in the newest version of the catalog. */
  async findUser(name: string): Promise<DirectoryUser | undefined> {
    return this.#users().find(name);
  }

  /** See `Users.provision`. */
  async provisionUser(name: string, roleName: string): Promise<DirectoryUser> {
    return this.#users().provision(name, roleName);
  }

  /** See `Users.ensureInitial`. @throws TesseraError NOT_SUPPORTED where users have no passwords */
  async ensureInitialUser(name: string, password: string): Promise<InitialUser> {
    const { makeCredential } = this.#options;
    if (makeCredential === undefined) throw TesseraError.of('NOT_SUPPORTED', { what: 'An initial user' });
    return this.#users().ensureInitial(name, password, makeCredential);
  }

  #users(): Users {
    const { tables } = this.#options;
    if (tables !== undefined) return new Users(tables.manager);
    throw TesseraError.of('NOT_SUPPORTED', { what: 'A user', hint: 'this node keeps no tables' });
  }

  /** Resolves when no upkeep of tables is under way or due. */
  async settled(): Promise<void> {
    await this.#upkeep?.settled();
  }

  /** To be called when the node has drained: stops what no statement asked for, ends what clients left open. */
  async close(): Promise<void> {
    this.#metrics.close();
    await this.#upkeep?.close();
    await this.transactions?.close();
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

/** @throws TesseraError SYNTAX_ERROR for a request of none or several */
function onlyStatement({ sql }: StatementRequest, message: string): string {
  const [statement, ...more] = splitStatements(sql);
  if (statement !== undefined && more.length === 0) return statement.text;
  throw TesseraError.of('SYNTAX_ERROR', { message });
}

async function readToEnd(result: RowsResult): Promise<void> {
  try {
    for await (const _ of result.chunks);
  } finally {
    await result.close();
  }
}

const nodeFacts = ({ name, status, reason, node }: ClusterMember): NodeFacts => ({
  name,
  host: name.replace(/:\d+$/, ''),
  status,
  version: node?.version,
  startedAt: node && new Date(node.startedAtMs),
  reason,
});
