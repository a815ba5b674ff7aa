import type { Authorizer } from '@tessera/access-control';
import type { RelationObject, Snapshot } from '@tessera/catalog';
import { TesseraError, traced } from '@tessera/common';
import type { Kernel, KernelSession } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import {
  describeQuery,
  type ExplainStatement,
  type InsertQuery,
  locateValue,
  prepareQuery,
  type QueryDescription,
  type SqlType,
  substituteScans,
} from '@tessera/sql';
import type { ClusterServices } from '../distribution/cluster-services.ts';
import { QueryDistribution } from '../distribution/query-distribution.ts';
import { NOTHING_SCANNED, plus } from '../queries/scan-totals.ts';
import type { StatementContext } from '../queries/statement-context.ts';
import type { BoundQuery, NamedRelation } from '../read/bound-query.ts';
import { bytesToRead } from '../read/bytes-to-read.ts';
import { currentContents } from '../read/current-contents.ts';
import type { ExecutableQuery, ExecutionOptions, ReadableQuery } from '../read/executable-query.ts';
import { MirrorTables } from '../read/mirror-tables.ts';
import { isUnfetchedColumn } from '../read/query-failure.ts';
import { valueSampler } from '../read/sample-values.ts';
import { scannedFiles } from '../read/scanned-files.ts';
import {
  readAuthority,
  SessionScope,
  type SessionServices,
  statementSequences,
} from '../read/session-scope.ts';
import { scannedTables } from '../read/table-access.ts';
import { prepareScans, wantedOf } from '../read/table-scans.ts';
import { chooseTablets } from '../read/tablet-choice.ts';
import { type CachedResult, ResultCache, type Reuse } from '../reuse/result-cache.ts';
import type { SequenceValues } from '../sequences/sequence-values.ts';
import type { StatementSequences } from '../sequences/statement-sequences.ts';
import type { TableServices } from '../tables.ts';
import type { Transactions } from '../transactions/transactions.ts';
import { bind } from './bind.ts';
import { distinctPatterns } from './distinct-patterns.ts';
import { explainSql } from './explain.ts';
import { explainedFiles } from './explained-files.ts';
import { explainedReuse } from './explained-reuse.ts';
import type { ExplainedTable } from './explained-tables.ts';
import { withValues } from './generic-plans.ts';
import { PlanCache } from './plan-cache.ts';
import { reuseOf } from './reuse-key.ts';
import { type FactsFor, SystemRelations } from './system-relations.ts';

export interface BinderServices {
  readonly kernel: Kernel;
  readonly external: ExternalSources;
  readonly authorizer: Authorizer;
  /** Undefined if the node keeps no tables. */
  readonly tables?: TableServices | undefined;
  /** The facts about the node for `information_schema`. */
  readonly systemFacts?: FactsFor | undefined;
  /** If undefined, every query runs on this node. */
  readonly cluster?: ClusterServices | undefined;
  /** This and `transactions` are undefined if the node keeps no tables. */
  readonly sequenceValues?: SequenceValues | undefined;
  readonly transactions?: Transactions | undefined;
  /** See `QueryDistributionOptions`. */
  readonly columnStatisticsBytes?: number | undefined;
  /** See `CoordinatorOptions`. */
  readonly resultCacheBytes?: number | undefined;
  /** See `CoordinatorOptions`. */
  readonly regexpCacheMaxKeys?: number | undefined;
}

/** Whether a query is planned before it runs. */
type Planning = 'always' | 'where it matters' | 'never';

/** A bound query, and whether later statements with the same text may use it. */
interface FoundQuery {
  readonly bound: BoundQuery;
  readonly isLasting: boolean;
}

/**
 * Turns queries of the dialect into executable ones: binds them, or finds them in the plan cache, decides
 * where they run, and makes the data available that they read.
 */
export class QueryBinder {
  readonly #tables: TableServices | undefined;
  readonly #sessions: SessionServices;
  readonly #plans = new PlanCache();
  readonly distribution: QueryDistribution;
  readonly results: ResultCache;
  /** Statements over tables whose plan was not understood, so that they read every column of every tablet. */
  unplanned = 0;

  constructor(services: BinderServices) {
    const { cluster, tables, columnStatisticsBytes } = services;
    this.#tables = tables;
    this.results = new ResultCache(services.resultCacheBytes ?? 0);
    this.distribution = new QueryDistribution({
      cluster,
      agent: tables?.agent,
      sampler:
        tables &&
        valueSampler({
          kernel: services.kernel,
          agent: tables.agent,
          contentsOf: currentContents(tables.manager),
        }),
      columnStatisticsBytes,
    });
    const systemRelations = new SystemRelations(services.systemFacts, (view) => this.#viewOutput(view));
    this.#sessions = {
      kernel: services.kernel,
      external: services.external,
      authorizer: services.authorizer,
      mirror: tables && new MirrorTables(tables.mirror),
      sequenceValues: services.sequenceValues,
      transactions: services.transactions,
      fileParts: ({ request }, options) => this.distribution.fileParts(request, options),
      distinctPatterns: (context, source, snapshot) =>
        distinctPatterns(source, snapshot, {
          context,
          maxKeys: services.regexpCacheMaxKeys ?? 0,
          executable: (query) => this.executable(query),
        }),
      systemRelation: (scope, name, place) => systemRelations.load(scope, name, place),
    };
  }

  /** See `QueryDistribution`. */
  get undistributed(): number {
    return this.distribution.undistributed;
  }

  /** See `QueryDistribution`. */
  get gathered(): number {
    return this.distribution.gathered;
  }

  /**
   * Makes the query of a context ready to run, in a session of its own, at one snapshot.
   * @throws TesseraError if the statement, its files or its tablets are invalid; the reason of its
   * cancellation
   */
  async executable(context: StatementContext, options: ExecutionOptions = {}): Promise<ExecutableQuery> {
    const scope = await this.#open(context, options);
    scope.keep({ release: context.query.activity.progress.observe(scope.session) });
    try {
      const found = await this.#bound(scope);
      const { bound } = found;
      bound.uses += 1;
      const { prepared, named } = bound;
      const reuse = options.mayReuse === true ? await this.#reuseOf(found, scope) : undefined;
      const reused = await this.#reused(reuse, scope);
      const common = {
        session: scope.session,
        params: prepared.parameters,
        columns: prepared.columns,
        relations: directly(named),
        reuse,
        release: () => scope[Symbol.asyncDispose](),
      };
      const explain = (error: unknown) => {
        if (isUnfetchedColumn(error)) bound.looksAtAllNamed = true;
        return scope.explain(locateValue(error, context.text));
      };
      if (reused !== undefined)
        return { ...common, sql: '', reused, tables: [], files: [], scanned: NOTHING_SCANNED, explain };
      const usedSequences = scope.sequences?.areUsed === true ? scope.sequences : undefined;
      const distributed = usedSequences === undefined ? await this.distribution.run(bound, scope) : undefined;
      const { readInParts = NOTHING_SCANNED, ...readable } =
        distributed ?? (await this.#readable(bound, scope));
      return {
        ...common,
        ...readable,
        isKept: bound.uses > 1 && prepared.readsNothing,
        fewRows: prepared.fewRows,
        sequences: usedSequences,
        scanned: plus(
          plus(plus(scannedTables(readable.tables), readInParts), scope.reads.scannedOfTables),
          await scannedFiles(scope.session, scope.reads.filesReadHere, prepared.namedColumns),
        ),
        files: scope.reads.files,
        explain,
      };
    } catch (error) {
      await scope[Symbol.asyncDispose]();
      throw scope.explain(error);
    }
  }

  /**
   * Computes the rows of queries that read nothing, one query after the other, so that only one tree and one plan are in
   * memory at a time. Returns the SQL of all rows, the session that has them, and the last query. Undefined if a query
   * reads a relation, a file or a sequence. The caller must call `release`.
   * @throws TesseraError if a query is invalid or fails, as the query explains it
   */
  async computedInParts<P extends Pick<InsertQuery, 'sql' | 'explain'>>(
    context: StatementContext,
    parts: Iterable<P>,
    options: ExecutionOptions,
  ): Promise<(Pick<ExecutableQuery, 'session' | 'sql' | 'release'> & { readonly last: P }) | undefined> {
    const scope = await this.#open(context, options);
    const { session } = scope;
    const release = () => scope[Symbol.asyncDispose]();
    let last: P | undefined;
    let current: P | undefined;
    try {
      // In one transaction, all parts see the same time.
      await session.execute('BEGIN TRANSACTION');
      for (const part of parts) {
        current = part;
        const { sql, parameters, columns } = await prepareQuery(part.sql, scope.prepareContext);
        if (scope.readsSomething) break;
        const rows = `SELECT * FROM (${sql}) AS q(${columns.map((_, i) => `c${i}`).join(', ')})`;
        const store = last === undefined ? 'CREATE TEMP TABLE computed AS' : 'INSERT INTO computed';
        await session.execute(`${store} ${rows}`, parameters);
        last = part;
      }
      await session.execute('COMMIT');
      if (!scope.readsSomething && last !== undefined)
        return { session, sql: 'SELECT * FROM computed', last, release };
    } catch (cause) {
      await release();
      const error = scope.explain(locateValue(cause, current?.sql ?? ''));
      throw current?.explain(error) ?? error;
    }
    await release();
    return undefined;
  }

  /** The columns of a query and the relations that it names, without fetching anything. */
  async outputOf(context: StatementContext): Promise<Pick<ExecutableQuery, 'columns' | 'relations'>> {
    await using scope = await this.#open(context, { neverRuns: true });
    try {
      const { prepared, named } = await this.#bind(scope, 'never');
      return { columns: prepared.columns, relations: directly(named) };
    } catch (error) {
      throw scope.explain(error);
    }
  }

  /** The query that answers EXPLAIN; only ANALYZE fetches what the explained query reads. */
  async explain(
    context: StatementContext,
    statement: ExplainStatement,
    options: ExecutionOptions = {},
  ): Promise<ExecutableQuery> {
    const scope = await this.#open(context, options);
    try {
      const bound = await this.#bind(scope, 'always');
      const { prepared, named, tables } = bound;
      let scanned = NOTHING_SCANNED;
      const explained = await this.#explainedTables(bound, scope);
      const reuse = await this.#reuseOf({ bound, isLasting: isLasting(bound, scope) }, scope);
      const known =
        reuse.key === undefined ? undefined : this.results.peek(reuse, await scope.relations!.snapshot());
      const { sql, columns } = await explainSql(statement, {
        prepared,
        planner: prepared.boundSql === undefined ? scope.session : await scope.relations!.binder(),
        tables: explained,
        files: await explainedFiles(bound, context.query.signal),
        indexes: prepared.indexes,
        patterns: bound.patterns,
        distribution: (await this.distribution.isFor(bound, scope))
          ? await this.distribution.plan(bound, scope)
          : undefined,
        names: new Map([
          ...[...tables].map(([name, { table }]) => [name, table.name] as const),
          ...[...bound.files].map(([name, { scan }]) => [name, scan.url] as const),
        ]),
        reuse: this.results.isOn ? (rows) => explainedReuse(reuse, known, rows) : () => undefined,
        run: async () => {
          const query = await this.executable(context, {
            ...options,
            canRunAgain: false,
            streams: false,
            profiled: true,
          });
          scope.keep({ release: () => void query.release() });
          scanned = plus(scanned, query.scanned);
          return query;
        },
      });
      await scope.relations?.unbind();
      return {
        session: scope.session,
        sql,
        params: [],
        columns,
        relations: named.map(({ object }) => object),
        scanned,
        tables: [],
        files: [],
        explain: (error) => scope.explain(error),
        release: () => scope[Symbol.asyncDispose](),
      };
    } catch (error) {
      await scope[Symbol.asyncDispose]();
      throw scope.explain(error);
    }
  }

  /** The parameters and the result of a query; `asked` as in `describeQuery`. */
  async describe(
    context: StatementContext,
    options: ExecutionOptions,
    asked?: readonly SqlType[],
  ): Promise<QueryDescription> {
    await using scope = await this.#open(context, { ...options, neverRuns: true });
    const { reads, relations } = scope;
    try {
      const known = await this.#plans.description(scope, asked);
      if (known !== undefined) {
        await this.#authorizeAgain(known, scope);
        return known.description;
      }
      const description = await describeQuery(context.text, scope.prepareContext, asked);
      if (!reads.isTransient && relations?.transient !== true) {
        this.#plans.addDescription(scope, { description, named: relations?.named ?? [] }, asked);
      }
      return description;
    } catch (error) {
      throw scope.explain(error);
    }
  }

  /**
   * The sequence values for a statement that runs in the session without a query; undefined if the node keeps
   * no tables. The caller must end it.
   */
  sequences(
    context: StatementContext,
    session: KernelSession,
    snapshot: Snapshot,
  ): StatementSequences | undefined {
    return statementSequences(this.#sessions, context, { session, snapshot: async () => snapshot });
  }

  #open(context: StatementContext, options: ExecutionOptions): Promise<SessionScope> {
    return SessionScope.open(this.#sessions, context, options);
  }

  async #viewOutput(
    view: StatementContext,
  ): Promise<Pick<BoundQuery, 'named'> & Pick<ExecutableQuery, 'columns'>> {
    await using scope = await this.#open(view, { neverRuns: true });
    const { prepared, named } = await this.#bind(scope, 'never');
    return { columns: prepared.columns, named };
  }

  /** How the result of a query may be kept. */
  async #reuseOf({ bound, isLasting }: FoundQuery, { context, relations }: SessionScope): Promise<Reuse> {
    const snapshot = bound.tables.size === 0 ? undefined : await relations!.snapshot();
    return this.results.isOn
      ? reuseOf(bound, context, { isLasting, snapshot })
      : { refusal: 'this node keeps no results (--result-cache-bytes 0)' };
  }

  async #reused(reuse: Reuse | undefined, { relations }: SessionScope): Promise<CachedResult | undefined> {
    if (reuse?.key === undefined) return undefined;
    return this.results.get(reuse, await relations!.snapshot());
  }

  /** From the cache if possible. */
  async #bound(scope: SessionScope): Promise<FoundQuery> {
    const { relations } = scope;
    const known = await this.#plans.get(scope);
    if (known !== undefined) {
      await this.#authorizeAgain(known, scope);
      if (!(await this.#needsPlan(known, scope))) return { bound: known, isLasting: true };
    } else {
      const generic = await this.#plans.generic(scope);
      if (generic !== undefined) {
        await this.#authorizeAgain(generic.bound, scope);
        if (!(await this.#needsPlan(generic.bound, scope)))
          return { bound: withValues(generic.bound, generic.parameters), isLasting: true };
      }
      const bound = await this.#withLiterals(scope);
      if (bound !== undefined) return { bound, isLasting: true };
    }
    const bound = await this.#bind(scope, 'where it matters');
    await relations?.unbind();
    const found = { bound, isLasting: isLasting(bound, scope) };
    if (found.isLasting) {
      this.#plans.add(scope, bound);
      if (scope.options.onLiteralPlan !== undefined) this.#plans.addLiterals(scope, bound);
      await this.#bindGeneric(scope, bound);
    }
    return found;
  }

  /** The query for other literals than those that it was bound with before, if it needs no plan of its own. */
  async #withLiterals(scope: SessionScope): Promise<BoundQuery | undefined> {
    const { onLiteralPlan } = scope.options;
    const bound = onLiteralPlan && (await this.#plans.withLiterals(scope));
    if (bound === undefined) return undefined;
    await this.#authorizeAgain(bound, scope);
    if ((await this.#needsPlan(bound, scope)) || (await this.distribution.isFor(bound, scope)))
      return undefined;
    onLiteralPlan?.();
    return bound;
  }

  /**
   * Binds a statement for all values of its parameters when it occurs with the second list of values, if no
   * plan was needed.
   */
  async #bindGeneric({ context, options }: SessionScope, bound: BoundQuery): Promise<void> {
    const parameters = this.#plans.dueGeneric({ context, options }, bound);
    if (parameters === undefined) return;
    const request = { ...context.request, parameters: parameters.parameters };
    await using scope = await this.#open({ ...context, request }, options);
    try {
      const generic = await this.#bind(scope, 'never');
      this.#plans.addGeneric({ context, options }, { bound: generic, parameters }, bound);
    } catch (error) {
      // The values affect the meaning of the statement, so it is always bound with them.
      if (!(error instanceof TesseraError)) throw error;
    }
  }

  /**
   * Checks privileges again: a statement that was bound before was allowed then, but grants may change while
   * its relations do not.
   */
  async #authorizeAgain({ named }: Pick<BoundQuery, 'named'>, scope: SessionScope): Promise<void> {
    if (named.length === 0) return;
    const authority = readAuthority(this.#sessions.authorizer, scope.context, scope.options);
    const snapshot = await scope.relations!.snapshot();
    for (const { object, view, name } of named)
      authority.readAgain(snapshot, object, { view, location: name.location });
  }

  /** Leaves the binder's session open. */
  async #bind(scope: SessionScope, planning: Planning): Promise<BoundQuery> {
    const bound = await bind(scope, (unplanned) =>
      planning === 'where it matters' ? this.#needsPlan(unplanned, scope) : planning === 'always',
    );
    if (bound.isPlanned && bound.scans === undefined) this.unplanned += 1;
    return bound;
  }

  /** Whether a plan is needed and does not exist yet. */
  async #needsPlan(bound: BoundQuery, scope: SessionScope): Promise<boolean> {
    if (bound.isPlanned) return false;
    if ([...bound.files.values()].some(({ scan }) => scan.choose !== undefined)) return true;
    return !(await this.#areHot(bound.tables, scope)) || this.distribution.isFor(bound, scope);
  }

  /** Whether all columns of all tables are in memory. */
  async #areHot(tables: BoundQuery['tables'], { session, relations }: SessionScope): Promise<boolean> {
    const { agent } = this.#tables!;
    const snapshot = await relations!.snapshot();
    return [...tables.values()].every(
      ({ table, rowPositions }) =>
        !rowPositions &&
        table.uncoveredBy === undefined &&
        agent.isHot(
          session,
          table.id,
          snapshot.contentsVersion(table.id),
          table.columns.map(({ id }) => id),
        ),
    );
  }

  /** The SQL to run on this node, with all data that it reads available. */
  async #readable(bound: BoundQuery, scope: SessionScope): Promise<ReadableQuery> {
    const counted = bound.prepared.namedColumns;
    await scope.reads.readAlone({ scans: bound.scans, counted });
    const { prepared, tables, looksAtAllNamed } = bound;
    if (tables.size === 0) return { sql: prepared.sql, tables: [] };
    const { session, relations, options, context } = scope;
    const { agent } = this.#tables!;
    const snapshot = await relations!.snapshot();
    const isNarrow = options.canRunAgain === true && !looksAtAllNamed;
    const query = options.rowPositionsOf === undefined ? prepared : undefined;
    const { signal } = context.query;
    const scans = await traced('open tables', {}, () =>
      prepareScans(bound, { agent, session, snapshot, isNarrow, query, signal }),
    );
    scope.keep(scans);
    const sql = substituteScans(prepared.sql, prepared.tables, scans.sources);
    return { sql, tables: scans.accesses, target: scans.target };
  }

  async #explainedTables(
    bound: BoundQuery,
    { context, session, relations }: SessionScope,
  ): Promise<readonly ExplainedTable[]> {
    if (bound.tables.size === 0) return [];
    const { agent } = this.#tables!;
    const { signal } = context.query;
    const snapshot = await relations!.snapshot();
    const scope = { agent, session, snapshot, isNarrow: true, signal };
    return Promise.all(
      [...bound.tables].map(async ([name, table]) => {
        const { tablets, selection, isHot, access } = await chooseTablets(
          table,
          wantedOf(bound, name),
          scope,
        );
        const columns = selection.columns.map(({ id }) => id);
        const bytes = isHot ? 0 : await bytesToRead(agent, table.table, tablets, columns, signal);
        return { access, tablets, isHot, bytesToRead: bytes };
      }),
    );
  }
}

/** Whether a bound query is valid for later statements: it depends on no file and on no time but the date. */
const isLasting = (bound: BoundQuery, { reads, relations }: SessionScope): boolean =>
  !reads.isTransient && relations?.transient !== true && bound.prepared.time !== 'pinned';

/** The relations that the text names itself, not through views. */
const directly = (named: readonly NamedRelation[]): readonly RelationObject[] =>
  named.filter(({ view }) => view === undefined).map(({ object }) => object);
