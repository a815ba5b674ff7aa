import type { Authorizer } from '@tessera/access-control';
import type { RelationObject, Snapshot } from '@tessera/catalog';
import { traced } from '@tessera/common';
import type { FewRows, Kernel, KernelSession } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import {
  type ExplainStatement,
  type InsertQuery,
  locateValue,
  type PreparedQuery,
  prepareQuery,
  type QueryDescription,
  type SqlType,
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
import { type SessionScope, type SessionServices, statementSequences } from '../read/session-scope.ts';
import { scannedTables } from '../read/table-access.ts';
import { prepareScans, wantedOf } from '../read/table-scans.ts';
import { chooseTablets } from '../read/tablet-choice.ts';
import { KeptParts } from '../reuse/kept-parts.ts';
import { type CachedResult, ResultCache, type Reuse } from '../reuse/result-cache.ts';
import type { SequenceValues } from '../sequences/sequence-values.ts';
import type { StatementSequences } from '../sequences/statement-sequences.ts';
import type { TableServices } from '../tables.ts';
import type { Transactions } from '../transactions/transactions.ts';
import { BoundQueries, type FoundQuery, isLasting } from './bound-queries.ts';
import { distinctPatterns } from './distinct-patterns.ts';
import { type ChangeOperator, explainSql } from './explain.ts';
import { explainedFiles } from './explained-files.ts';
import { explainedReuse } from './explained-reuse.ts';
import type { ExplainedTable } from './explained-tables.ts';
import { type DividedQuery, PartReuse } from './part-reuse.ts';
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
  readonly subresultCacheBytes?: number | undefined;
  /** See `CoordinatorOptions`. */
  readonly regexpCacheMaxKeys?: number | undefined;
}

/**
 * Turns queries of the dialect into executable ones: binds them, or finds them in the plan cache, decides
 * where they run, and makes the data available that they read.
 */
export class QueryBinder {
  readonly #tables: TableServices | undefined;
  readonly #sessions: SessionServices;
  readonly #bound: BoundQueries;
  readonly distribution: QueryDistribution;
  readonly results: ResultCache;
  readonly keptParts: KeptParts;
  readonly #parts: PartReuse;

  constructor(services: BinderServices) {
    const { cluster, tables, columnStatisticsBytes } = services;
    this.#tables = tables;
    this.results = new ResultCache(services.resultCacheBytes ?? 0);
    // The tables of kept rows are in the database of resident tables.
    this.keptParts = new KeptParts(
      services.kernel,
      tables === undefined ? 0 : (services.subresultCacheBytes ?? 0),
    );
    this.#parts = new PartReuse(this.keptParts, (context, options) => this.executable(context, options));
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
    const systemRelations = new SystemRelations(services.kernel, services.systemFacts, (view) =>
      this.#bound.outputOf(view),
    );
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
    this.#bound = new BoundQueries({ sessions: this.#sessions, tables, distribution: this.distribution });
  }

  /** See `BoundQueries`. */
  get unplanned(): number {
    return this.#bound.unplanned;
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
    const scope = await this.#bound.open(context, options);
    scope.keep({ release: context.query.activity.progress.observe(scope.session) });
    try {
      const found = await this.#bound.find(scope);
      const { bound } = found;
      bound.uses += 1;
      const { prepared, named } = bound;
      const isKept = options.mayReuse === true || options.isPart === true;
      const reuse = isKept ? await this.#reuseOf(found, scope) : undefined;
      const reused = options.mayReuse === true ? await this.#reused(reuse, scope) : undefined;
      const common = {
        session: scope.session,
        params: prepared.parameters,
        columns: prepared.columns,
        relations: directly(named),
        reuse,
        part: options.isPart === true ? { bound, reuse: reuse! } : undefined,
        release: () => scope[Symbol.asyncDispose](),
      };
      const explain = (error: unknown) => {
        if (isUnfetchedColumn(error)) bound.looksAtAllNamed = true;
        return scope.explain(locateValue(error, context.text));
      };
      if (reused !== undefined)
        return { ...common, sql: '', reused, tables: [], files: [], scanned: NOTHING_SCANNED, explain };
      const divided = reuse !== undefined && options.mayReuse === true && (await this.#divided(bound, scope));
      const inParts = divided && (await this.#parts.executable(divided));
      if (inParts) {
        const { columns, relations } = common;
        const release = async () => {
          await inParts.release();
          await common.release();
        };
        return { ...inParts, columns, relations, reuse, release };
      }
      const usedSequences = scope.sequences?.areUsed === true ? scope.sequences : undefined;
      const distributed = usedSequences === undefined ? await this.distribution.run(bound, scope) : undefined;
      const { readInParts = NOTHING_SCANNED, ...readable } =
        distributed ?? (await this.#readable(bound, scope));
      const isFixed = readable.isFixed === true && found.isLasting;
      return {
        ...common,
        ...readable,
        isKept: bound.uses > 1 && (prepared.readsNothing || (isFixed && prepared.keepsNoRows)),
        isFixed,
        fewRows: distributed === undefined ? fewRowsOf(prepared, readable) : prepared.fewRows === true,
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
      throw scope.explain(locateValue(error, context.text));
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
    const scope = await this.#bound.open(context, options);
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

  /** The columns of a query and the relations that its text names, without fetching anything. */
  async outputOf(context: StatementContext): Promise<Pick<ExecutableQuery, 'columns' | 'relations'>> {
    const { columns, named } = await this.#bound.outputOf(context);
    return { columns, relations: directly(named) };
  }

  /** See `BoundQueries`. */
  describe(
    context: StatementContext,
    options: ExecutionOptions,
    asked?: readonly SqlType[],
  ): Promise<QueryDescription> {
    return this.#bound.describe(context, options, asked);
  }

  /**
   * The query that answers EXPLAIN; only ANALYZE fetches what the explained query reads.
   * @param change the statement that changes the rows of the query
   */
  async explain(
    context: StatementContext,
    statement: ExplainStatement,
    options: ExecutionOptions = {},
    change?: ChangeOperator,
  ): Promise<ExecutableQuery> {
    const scope = await this.#bound.open(context, options);
    try {
      const bound = await this.#bound.bind(scope, 'always');
      const { prepared, named, tables } = bound;
      let scanned = NOTHING_SCANNED;
      const explained = await this.#explainedTables(bound, scope);
      const reuse = await this.#reuseOf({ bound, isLasting: isLasting(bound, scope) }, scope);
      const known =
        reuse.key === undefined ? undefined : this.results.peek(reuse, await scope.relations!.snapshot());
      const { sql, columns } = await explainSql(statement, {
        prepared,
        change,
        planner: prepared.boundSql === undefined ? scope.session : await scope.relations!.binder(),
        tables: explained,
        files: await explainedFiles(bound, context.query.signal),
        indexes: prepared.indexes,
        patterns: bound.patterns,
        distribution: await this.distribution.explained(bound, scope),
        names: new Map([
          ...[...tables].map(([name, { table }]) => [name, table.name] as const),
          ...[...bound.files].map(([name, { scan }]) => [name, scan.url] as const),
        ]),
        reuse: this.results.isOn ? (rows) => explainedReuse(reuse, known, rows) : () => undefined,
        parts: await this.#explainedParts(bound, scope),
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
      throw scope.explain(locateValue(error, context.text));
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

  /** How the result of a query may be kept. */
  async #reuseOf(
    { bound, isLasting }: FoundQuery,
    { context, relations, options }: SessionScope,
  ): Promise<Reuse> {
    const snapshot = bound.tables.size === 0 ? undefined : await relations!.snapshot();
    if (options.isPart !== true) {
      if (!this.results.isOn) return { refusal: 'this node keeps no results (--result-cache-bytes 0)' };
      if (!context.request.settings.enable_result_cache) return { refusal: 'enable_result_cache is off' };
    }
    return reuseOf(bound, context, { isLasting, snapshot });
  }

  async #explainedParts(bound: BoundQuery, scope: SessionScope): Promise<ReturnType<PartReuse['explained']>> {
    const divided = await this.#divided(bound, scope);
    return divided === undefined ? [] : this.#parts.explained(divided);
  }

  /** A query over tables, whose parts may be read from kept rows. */
  async #divided(
    bound: BoundQuery,
    { context, options, relations }: SessionScope,
  ): Promise<DividedQuery | undefined> {
    if (bound.tables.size === 0) return undefined;
    return { context, bound, options, snapshot: await relations!.snapshot() };
  }

  async #reused(reuse: Reuse | undefined, { relations }: SessionScope): Promise<CachedResult | undefined> {
    if (reuse?.key === undefined) return undefined;
    return this.results.get(reuse, await relations!.snapshot());
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
    return { sql: scans.sql, isFixed: scans.isFixed, tables: scans.accesses, target: scans.target };
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

/** The greatest width of rows that are perhaps few, in bytes as stored; in memory they may take ten times as much. */
const MAX_WIDTH_OF_FEW_ROWS = 512;

/** Whether a query that runs on this node alone has few rows; not `perhaps` if its first rows cost much time or memory. */
function fewRowsOf({ fewRows }: Pick<PreparedQuery, 'fewRows'>, { tables }: ReadableQuery): FewRows {
  if (fewRows !== 'perhaps') return fewRows;
  const isCheap = tables.every(
    ({ use: { tablets, tabletsHot, read } }) =>
      tabletsHot === tablets && read.bytes <= read.rows * MAX_WIDTH_OF_FEW_ROWS,
  );
  return isCheap && 'perhaps';
}

/** The relations that the text names itself, not through views. */
const directly = (named: readonly NamedRelation[]): readonly RelationObject[] =>
  named.filter(({ view }) => view === undefined).map(({ object }) => object);
